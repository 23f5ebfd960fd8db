import type { OperatorStore } from "queuert/internal";
import type { PgDatabase } from "../database.ts";
import { toText } from "../job-row.ts";

export const listLogs = (db: PgDatabase): NonNullable<OperatorStore["listLogs"]> => {
  const list = db.routine("list_logs", {
    job_id: "id",
    after_lease_version: "integer",
    after_line: "integer",
  });
  return async ({ jobId, after }) => {
    const rows = await list({
      job_id: db.id(jobId),
      after_lease_version: String(after?.leaseVersion ?? 0),
      after_line: String(after?.firstLine ?? -1),
    });
    return rows.map((row) => ({
      leaseVersion: Number(row["lease_version"]),
      attempt: Number(row["attempt"]),
      firstLine: Number(row["first_line"]),
      lines: toText(row["lines"]),
    }));
  };
};
