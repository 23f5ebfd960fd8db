import type { Database, InProcessMethod } from "../database.ts";

export const lockSchedules =
  (database: Database): InProcessMethod<"lockSchedules"> =>
  async ({ context, names }) =>
    database.writeInTransaction(context, "lockSchedules", ({ scheduling, now }) => ({
      now: new Date(now),
      schedules: names.map((name) => scheduling.schedules.get(name)),
    }));
