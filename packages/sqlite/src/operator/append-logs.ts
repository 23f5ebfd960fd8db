// Lines and progress of attempts, in one transaction. Nothing is stored for a job that does not exist.
import { loggedAttemptsKept, type OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

export const appendLogs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["appendLogs"]> => {
  const { job, log, progress: progressTable } = database.names;
  const insert = `
INSERT INTO ${log} (job_id, lease_version, first_line, attempt, stored_at, lines)
SELECT id, ?, ?, ?, ?, ? FROM ${job} WHERE id = ?
ON CONFLICT (job_id, lease_version, first_line) DO NOTHING`;
  const forgetOlder = `
DELETE FROM ${log} WHERE job_id = ? AND lease_version <= (
  SELECT lease_version FROM ${log} WHERE job_id = ?
  GROUP BY lease_version ORDER BY lease_version DESC LIMIT 1 OFFSET ${loggedAttemptsKept})`;
  const removeGap = `
DELETE FROM ${log} WHERE job_id = ? AND lease_version = ? AND first_line >= ? AND first_line < ?`;
  const upsert = `
INSERT INTO ${progressTable} AS old (job_id, lease_version, stored_at, fraction, note)
SELECT id, ?, ?, ?, ? FROM ${job} WHERE id = ?
ON CONFLICT (job_id) DO UPDATE SET lease_version = excluded.lease_version,
  stored_at = excluded.stored_at, fraction = excluded.fraction, note = excluded.note
WHERE old.lease_version <= excluded.lease_version`;
  const forgetLines = `DELETE FROM ${log} WHERE job_id = ? AND lease_version = ?`;
  const forgetProgress = `DELETE FROM ${progressTable} WHERE job_id = ? AND lease_version = ?`;
  const prune = [log, progressTable].map((table) => `DELETE FROM ${table} WHERE stored_at < ?`);

  return ({ chunks, gaps, progress, forget, keptMs }) =>
    database.write("appendLogs", undefined, (session) => {
      const now = session.now();
      for (const { jobId, leaseVersion, firstLine, attempt, lines } of chunks) {
        session.run(insert, leaseVersion, firstLine, attempt, now, lines, jobId);
        session.run(forgetOlder, jobId, jobId);
      }
      for (const { jobId, leaseVersion, from, before } of gaps) {
        session.run(removeGap, jobId, leaseVersion, from, before);
      }
      for (const { jobId, leaseVersion, fraction, note } of progress) {
        session.run(upsert, leaseVersion, now, fraction, note, jobId);
      }
      for (const { jobId, leaseVersion } of forget) {
        session.run(forgetLines, jobId, leaseVersion);
        session.run(forgetProgress, jobId, leaseVersion);
      }
      for (const statement of prune) session.run(statement, Math.floor(now - keptMs));
    });
};
