// `GET logs`: the lines that the last attempts of a job logged.
import type { LogsAnswer } from "../api-types.ts";
import { asJson } from "./json.ts";
import { optionalText, requiredText } from "./read-input.ts";
import type { Call } from "./route.ts";

export const logs = async ({ operator, payloads, query }: Call): Promise<LogsAnswer> =>
  asJson(
    await operator.getLogs({
      id: requiredText("id", query.get("id")),
      cursor: optionalText("cursor", query.get("cursor")),
      payloads,
    }),
  );
