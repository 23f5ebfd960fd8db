import type { OperatorStore } from "queuert/internal";
import type { PgDatabase } from "../database.ts";
import { toDate, toNullableText, toText } from "../job-row.ts";

export const listActions = (db: PgDatabase): NonNullable<OperatorStore["listActions"]> => {
  const list = db.routine("list_actions", { limit: "integer" });
  return async ({ limit }) =>
    (await list({ limit: String(limit) })).map((row) => ({
      id: toText(row["id"]),
      action: toText(row["action"]),
      user: toNullableText(row["by_user"]),
      filter: toNullableText(row["filter"]),
      count: Number(row["job_count"]),
      startedAt: toDate(row["started_at_us"]),
      finishedAt: (row["finished_at_us"] ?? null) === null ? null : toDate(row["finished_at_us"]),
      done: Number(row["done"]),
      refused: Number(row["refused"]),
    }));
};
