// `GET schedule`: one schedule with its ticks. `GET schedule-preview`: the instants of a timing before a schedule gets it.
import type { ScheduleAnswer, SchedulePreviewAnswer } from "../api-types.ts";
import { DashboardError } from "../dashboard-error.ts";
import { asJson } from "./json.ts";
import { optionalCount, optionalText, requiredText } from "./read-input.ts";
import type { Call } from "./route.ts";

export const schedule = async ({ operator, payloads, query }: Call): Promise<ScheduleAnswer> => {
  const name = requiredText("name", query.get("name"));
  const found = await operator.getSchedule({ name, payloads });
  if (found !== undefined) return asJson(found);
  throw new DashboardError("QUEUERT_DASHBOARD_NOT_FOUND", `No schedule has the name "${name}".`);
};

export const schedulePreview = async ({
  operator,
  query,
}: Call): Promise<SchedulePreviewAnswer> => {
  const everyMs = optionalCount("everyMs", query.get("everyMs"));
  const timeZone = optionalText("timeZone", query.get("timeZone"));
  const next = await operator.previewSchedule(
    everyMs === undefined
      ? {
          cron: requiredText("cron", query.get("cron")),
          ...(timeZone !== undefined && { timeZone }),
        }
      : { everyMs },
  );
  return { next: asJson(next) };
};
