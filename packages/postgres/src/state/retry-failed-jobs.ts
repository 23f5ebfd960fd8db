import type { RetryFailedResult } from "queuert/internal";
import { toStateJob, toText } from "../job-row.ts";
import type { PgRow } from "../state-provider.ts";
import type { PgDatabase, PgState } from "../database.ts";

export const retryFailedJobs = (db: PgDatabase): PgState["retryFailedJobs"] => {
  const retry = db.routine("retry_failed_jobs", { ids: "id[]" });
  return async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const rows = await retry({ ids: db.ids(ids) }, context);
    const byElement = new Map(rows.map((row) => [Number(row["element"]) - 1, row]));
    return ids.map((_, index) => toResult(byElement.get(index)));
  };
};

const toResult = (row: PgRow | undefined): RetryFailedResult => {
  if (row?.["kind"] === "retried") return { kind: "retried", job: toStateJob(row["job"]) };
  if (row?.["kind"] === "key_taken") {
    const bySequenceId = toText(row["detail"]);
    return { kind: "refused", reason: "deduplication_key_taken", bySequenceId };
  }
  if (row?.["kind"] === "blocker_failed" || row?.["kind"] === "blocker_cancelled") {
    const bySequenceId = toText(row["detail"]);
    return { kind: "refused", reason: row["kind"], bySequenceId };
  }
  const reason = row?.["detail"] === "not_failed" ? "not_failed" : "not_found";
  return { kind: "refused", reason };
};
