import type { FailuresAnswer } from "../api-types.ts";
import { asJson } from "./json.ts";
import { optionalText } from "./read-input.ts";
import type { Call } from "./route.ts";

export const failures = async ({ operator, payloads, query }: Call): Promise<FailuresAnswer> =>
  asJson(await operator.listFailures({ filter: optionalText("q", query.get("q")), payloads }));
