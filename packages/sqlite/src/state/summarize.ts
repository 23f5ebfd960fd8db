// Counts for operators. Every part reads a partial index and no completed job.
import type { JobStatus, StateAdapter, StateSummary } from "queuert/internal";
import type { Database } from "../database.ts";
import { sequenceIdOf } from "../job-row.ts";

export const summarize = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["summarize"] => {
  const { job, blocker } = database.names;
  const count = (status: JobStatus, oldest: string): string => `
SELECT '${status}', type_name, count(*), ${oldest}, 0 FROM ${job} WHERE status = '${status}' GROUP BY type_name`;
  // Jobs under keys have an index of their own. A blocked job does not wait for a worker: its waiting begins with its release.
  const pending = (keys: "NULL" | "NOT NULL"): string => `
SELECT type_name, count(*) AS number,
  min(CASE WHEN scheduled_at <= ? THEN max(scheduled_at, coalesce(released_at, 0)) END) AS oldest,
  count(*) FILTER (WHERE scheduled_at <= ?) AS due
FROM ${job} WHERE status = 'pending' AND limit_key IS ${keys} GROUP BY type_name`;
  const counts = [
    `SELECT 'pending', type_name, sum(number), min(oldest), sum(due) FROM (
${pending("NULL")} UNION ALL ${pending("NOT NULL")}) GROUP BY type_name`,
    count("running", "NULL"),
    count("blocked", "NULL"),
    count("failed", "NULL"),
  ].join(" UNION ALL ");
  // A failed job is the last one of its sequence: the sequence has failed. The order of the joins and the sign keep the plan. With
  // statistics from a time without blocked jobs, each failed job would be compared with each blocked one.
  const blockedByFailed = `
SELECT count(DISTINCT edge.job_id) FROM ${job} failed
CROSS JOIN ${blocker} edge ON edge.blocker_sequence_id = ${sequenceIdOf("failed")}
CROSS JOIN ${job} waiting ON waiting.id = edge.job_id
WHERE failed.status = 'failed' AND +waiting.status = 'blocked'`;
  const running = `
SELECT count(*) FILTER (WHERE leased_until <= ?), count(*) FILTER (WHERE last_attempt_at < ?)
FROM ${job} WHERE status = 'running'`;

  return async ({ context, runningLongMs }) =>
    database.read(context, (session) => {
      const now = session.now();
      const rows = session.all<
        [
          status: StateSummary["counts"][number]["status"],
          typeName: string,
          count: number,
          oldest: number | null,
          dueCount: number,
        ]
      >(counts, now, now, now, now);
      const [expiredLeaseCount, runningLongCount] = session.get<[number, number]>(
        running,
        now,
        Math.floor(Math.max(now - runningLongMs, 0)),
      ) ?? [0, 0];
      return {
        counts: rows.map(([status, typeName, count]) => ({ status, typeName, count })),
        oldestReady: rows.flatMap(([, typeName, , oldest, dueCount]) =>
          // A release lies ahead if the clock was set back since.
          oldest === null ? [] : [{ typeName, ageMs: Math.max(0, now - oldest), dueCount }],
        ),
        blockedByFailedCount: session.get<[number]>(blockedByFailed)?.[0] ?? 0,
        expiredLeaseCount,
        runningLongCount,
      };
    });
};
