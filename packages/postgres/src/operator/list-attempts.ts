import type { OperatorStore, StoredAttempt } from "queuert/internal";
import type { PgDatabase } from "../database.ts";
import { toDate, toText } from "../job-row.ts";
import type { PgRow } from "../state-provider.ts";

export const listAttempts = (db: PgDatabase): NonNullable<OperatorStore["listAttempts"]> => {
  const list = db.routine("list_attempts", { ids: "id[]" });
  return async ({ jobIds }) => {
    if (jobIds.length === 0) return [];
    const attempts = jobIds.map((): StoredAttempt[] => []);
    for (const row of await list({ ids: db.ids(jobIds) })) {
      attempts[Number(row["element"]) - 1]?.push(toStoredAttempt(row));
    }
    return attempts;
  };
};

const toStoredAttempt = (row: PgRow): StoredAttempt => ({
  leaseVersion: Number(row["lease_version"]),
  attempt: Number(row["attempt"]),
  workerId: toText(row["worker_id"]),
  dueAt: toDate(row["due_at_us"]),
  startedAt: toDate(row["started_at_us"]),
  endedAt: toDate(row["ended_at_us"]),
  // Written by `record_attempts`.
  outcome: row["outcome"] as StoredAttempt["outcome"],
  nextAt: (row["next_at_us"] ?? null) === null ? null : toDate(row["next_at_us"]),
  error: toText(row["error"]),
});
