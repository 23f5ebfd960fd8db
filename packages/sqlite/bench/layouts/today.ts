// The tables as they are: a wide row that the acquisition and the completion update, and partial indexes over its status.
import { payloadText } from "../measure.ts";
import {
  type DueRow,
  type HeldJob,
  insertRoot,
  lastOrdinal,
  leaseMs,
  nextId,
  type OpenLayout,
  output,
  typeName,
  unlessNewRoot,
  workerId,
} from "./layout.ts";

const due = `
SELECT ordinal, id, input, created_at, scheduled_at, ${unlessNewRoot("queuert_job")} FROM queuert_job
WHERE status = 'pending' AND limit_key IS NULL AND type_name = ? AND priority = 0 AND scheduled_at <= ?
ORDER BY scheduled_at, ordinal LIMIT ?`;

const acquireRange = `
UPDATE queuert_job SET status = 'running', attempt = attempt + 1, lease_version = lease_version + 1, leased_by = ?,
  leased_until = ?, last_attempt_at = ? WHERE ordinal BETWEEN ? AND ?`;

const complete = `
UPDATE queuert_job SET status = 'completed', output = ?, finished_at = ?, completed_by = ?, completed_lease = ?,
  leased_by = NULL, leased_until = NULL
WHERE id = ? AND status = 'running' AND lease_version = ? AND ordinal = ?`;

export const openToday: OpenLayout = (db) => {
  const insert = db.prepare(insertRoot);
  const last = db.prepare(lastOrdinal).pluck();
  const select = db.prepare(due).raw();
  const update = db.prepare(acquireRange);
  const end = db.prepare(complete);
  return {
    start: (count) => {
      // Of the last ordinal, a number.
      let ordinal = last.get() as number;
      const now = Date.now();
      for (let index = 0; index < count; index++) {
        insert.run(++ordinal, nextId(), "pending", now, now, payloadText);
      }
    },
    acquire: (limit) => {
      const now = Date.now();
      // The columns of the select list.
      const rows = select.all(typeName, now, limit) as DueRow[];
      const [first] = rows;
      const final = rows.at(-1);
      if (first === undefined || final === undefined) return [];
      update.run(workerId, now + leaseMs, now, first[0], final[0]);
      return rows.map(([ordinal, id]): HeldJob => ({ ordinal, id, leaseVersion: 1, leaseId: 0 }));
    },
    complete: (jobs) => {
      const now = Date.now();
      for (const { ordinal, id, leaseVersion } of jobs) {
        end.run(output, now, workerId, leaseVersion, id, leaseVersion, ordinal);
      }
    },
  };
};
