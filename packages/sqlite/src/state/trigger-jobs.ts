import type { StateAdapter, TriggerResult } from "queuert/internal";
import type { Database } from "../database.ts";
import { type JobReferenceRow, referenceColumns, toStateJobReference } from "../job-row.ts";

export const triggerJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["triggerJobs"] => {
  const { job } = database.names;
  const select = `SELECT ${referenceColumns("job")} FROM ${job} job WHERE id = ?`;
  // A job that is due already keeps its place.
  const trigger = `UPDATE ${job} SET scheduled_at = min(scheduled_at, ?) WHERE id = ? AND status = 'pending'`;

  return async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.write("triggerJobs", context, (session) => {
          const now = session.now();
          return ids.map((id): TriggerResult => {
            const row = session.get<JobReferenceRow>(select, id);
            if (row === undefined) return { kind: "refused", reason: "not_found" };
            const { changes } = session.run(trigger, now, id);
            return Number(changes) === 1
              ? { kind: "triggered", job: toStateJobReference(row) }
              : { kind: "refused", reason: "not_pending" };
          });
        });
};
