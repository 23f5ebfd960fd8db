import type { StateSummary } from "queuert/internal";
import { argument } from "../database.ts";
import { toText } from "../job-row.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

// Each part is answered from the partial index of its status; finished work is never looked at.
const summarySql = (db: PgDatabase): string => {
  const job = `${db.names.schema}.job`;
  const blocker = `${db.names.schema}.job_blocker`;
  return `
    SELECT 'count' AS kind, j.type_name, 'pending' AS status, count(*)::float8 AS value,
      date_part('epoch', clock_timestamp() - min(j.scheduled_at)) * 1000 AS oldest_ms
    FROM ${job} j WHERE j.status = 'pending' GROUP BY j.type_name
    UNION ALL
    SELECT 'count', j.type_name, 'running', count(*), NULL
    FROM ${job} j WHERE j.status = 'running' GROUP BY j.type_name
    UNION ALL
    SELECT 'count', j.type_name, j.status, count(*), NULL
    FROM ${job} j WHERE j.status IN ('blocked', 'failed') GROUP BY j.type_name, j.status
    UNION ALL
    SELECT 'blocked_by_failed', NULL, NULL, count(DISTINCT w.id), NULL
    FROM ${job} f JOIN ${blocker} b ON b.blocker_sequence_id = f.sequence_id
    JOIN ${job} w ON w.id = b.job_id AND w.status = 'blocked'
    WHERE f.status IN ('blocked', 'failed') AND f.status = 'failed'
    UNION ALL
    SELECT 'expired', NULL, NULL, count(*), NULL
    FROM ${job} j WHERE j.status = 'running' AND j.leased_until <= clock_timestamp()
    UNION ALL
    SELECT 'running_long', NULL, NULL, count(*), NULL
    FROM ${job} j WHERE j.status = 'running'
      AND j.last_attempt_at < clock_timestamp() - ${argument(db.names, 1, "float8")} * interval '1 ms'`;
};

export const summarize = (db: PgDatabase): PgState["summarize"] => {
  const summarizeStore = db.statement("summarize", summarySql(db));
  return async ({ context, runningLongMs }) => {
    const rows = await summarizeStore([String(runningLongMs)], context);
    const total = (kind: string): number =>
      Number(rows.find((row) => row["kind"] === kind)?.["value"] ?? 0);
    const counts = rows.filter((row) => row["kind"] === "count");
    return {
      counts: counts.map((row) => ({
        typeName: toText(row["type_name"]),
        // The statement names these statuses and no other.
        status: row["status"] as StateSummary["counts"][number]["status"],
        count: Number(row["value"]),
      })),
      oldestReady: counts
        .filter((row) => Number(row["oldest_ms"] ?? -1) >= 0)
        .map((row) => ({ typeName: toText(row["type_name"]), ageMs: Number(row["oldest_ms"]) })),
      blockedByFailedCount: total("blocked_by_failed"),
      expiredLeaseCount: total("expired"),
      runningLongCount: total("running_long"),
    };
  };
};
