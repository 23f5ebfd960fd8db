import type { SchedulesAnswer } from "../api-types.ts";
import { asJson } from "./json.ts";
import { optionalCount, optionalText } from "./read-input.ts";
import type { Call } from "./route.ts";

export const schedules = async ({ operator, payloads, query }: Call): Promise<SchedulesAnswer> =>
  asJson(
    await operator.listSchedules({
      limit: optionalCount("limit", query.get("limit")),
      cursor: optionalText("cursor", query.get("cursor")),
      payloads,
    }),
  );
