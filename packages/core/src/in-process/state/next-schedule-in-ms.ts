import type { Database, InProcessMethod } from "../database.ts";
import { remainingMs } from "../instants.ts";
import type { Store } from "../store.ts";

export const nextScheduleInMs =
  (database: Database): InProcessMethod<"nextScheduleInMs"> =>
  async () =>
    database.readIndexes(undefined, "nextScheduleInMs", nextInMs);

const nextInMs = ({ scheduling, now }: Store): number | null => {
  let earliest = Number.POSITIVE_INFINITY;
  for (const { lookAt } of scheduling.schedules.rows("committed")) {
    if (lookAt !== null) earliest = Math.min(earliest, lookAt.getTime());
  }
  return earliest === Number.POSITIVE_INFINITY ? null : remainingMs(earliest, now);
};
