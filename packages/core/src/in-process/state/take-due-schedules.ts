import type { TakenSchedules } from "../../adapters/state-adapter-schedules.ts";
import type { Database, InProcessMethod } from "../database.ts";
import type { Store } from "../store.ts";

export const takeDueSchedules =
  (database: Database): InProcessMethod<"takeDueSchedules"> =>
  async ({ context, limit }) =>
    database.writeInTransaction(context, "takeDueSchedules", (store) => take(store, limit));

const take = ({ scheduling, now }: Store, limit: number): TakenSchedules => {
  const due = [...scheduling.schedules.rows("transaction")].flatMap((schedule) =>
    schedule.lookAt !== null && schedule.lookAt.getTime() <= now
      ? [{ schedule, lookAt: schedule.lookAt.getTime() }]
      : [],
  );
  due.sort((one, other) => one.lookAt - other.lookAt);
  const schedules = due.slice(0, Math.max(0, limit)).map(({ schedule }) => ({ ...schedule }));
  return { now: new Date(now), schedules };
};
