import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { type JobRow, jobColumns, toStateJob } from "../job-row.ts";

export const getJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["getJobs"] => {
  const select = `SELECT ${jobColumns()} FROM ${database.names.job} WHERE id = ?`;

  return async ({ context, ids }) => {
    if (ids.length === 0) return [];
    return database.read(context, (session) =>
      ids.map((id) => {
        const row = session.get<JobRow>(select, id);
        return row === undefined ? undefined : toStateJob(row);
      }),
    );
  };
};
