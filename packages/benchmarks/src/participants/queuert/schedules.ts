// Schedules of jobs that do nothing. A job says how late it runs.
import type { QueuertClient } from "queuert";
import { type NewSchedules, nowMs, payloadOf } from "../participant.ts";
import type { Definitions } from "./job-types.ts";

/** An instant on the monotonic clock. */
export const dueAtOf = (instant: Date): number => nowMs() - (Date.now() - instant.getTime());

const atOnce = 1_000;

export const storeSchedules = async <TTxContext>(
  queuert: QueuertClient<Definitions, TTxContext, string>,
  { name, count, everyMs, afterMs }: NewSchedules,
): Promise<void> => {
  const firstAt = Date.now() + afterMs;
  const input = payloadOf(0);
  for (let from = 0; from < count; from += atOnce) {
    const length = Math.min(atOnce, count - from);
    const schedules = Array.from({ length }, (_, index) => {
      const startsAt = new Date(firstAt + ((from + index) * everyMs) / count);
      const timing = { everyMs, anchor: startsAt, startsAt };
      return { name: `${name} ${from + index}`, typeName: "single" as const, input, ...timing };
    });
    await queuert.transaction((context) => queuert.upsertSchedules({ ...context, schedules }));
  }
};
