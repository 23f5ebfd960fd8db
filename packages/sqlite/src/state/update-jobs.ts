// Jobs that do not run get another input, due time or priority.
import type { StateAdapter, UpdateResult } from "queuert/internal";
import type { Database } from "../database.ts";
import { dueAt, toInstant } from "../instants.ts";
import { type JobRow, jobColumns, toStateJob } from "../job-row.ts";

export const updateJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["updateJobs"] => {
  const { job } = database.names;
  const select = `SELECT ${jobColumns()} FROM ${job} WHERE id = ?`;
  const update = `
UPDATE ${job} SET input = coalesce(?, input), priority = coalesce(?, priority),
  scheduled_at = CASE WHEN ? THEN min(?, created_at + ?) ELSE scheduled_at END
WHERE id = ? AND status IN ('pending', 'blocked', 'failed')`;

  const moveToKey = `
UPDATE ${job} SET limit_name = ?, limit_key = ?, limit_cost = ?
WHERE id = ? AND status IN ('pending', 'blocked', 'failed')`;

  return async ({ context, jobs }) =>
    jobs.length === 0
      ? []
      : database.write("updateJobs", context, (session) => {
          const now = session.now();
          return jobs.map((element): UpdateResult => {
            const { id, input, schedule, priority, dueWithinMs, limitKey } = element;
            const at = schedule === null ? null : dueAt(schedule, now);
            const within = toInstant(dueWithinMs ?? Infinity);
            const { changes } = session.run(
              update,
              ...[input, priority, at === null ? 0 : 1, at, within, id],
            );
            if (limitKey !== undefined) {
              const { limitName, key, cost } = limitKey ?? noKey;
              session.run(moveToKey, limitName, key, cost, id);
            }
            const row = session.get<JobRow>(select, id);
            if (row === undefined) return { kind: "refused", reason: "not_found" };
            return Number(changes) === 1
              ? { kind: "updated", job: toStateJob(row) }
              : { kind: "refused", reason: "not_updatable" };
          });
        });
};

const noKey = { limitName: null, key: null, cost: null };
