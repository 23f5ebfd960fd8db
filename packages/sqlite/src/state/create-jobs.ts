// Step 2 of the walk: new jobs are stored, in the transaction that writes the caller's own data.
import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { createBeginInserts } from "../steps/insert-job.ts";

export const createJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["createJobs"] => {
  const beginInserts = createBeginInserts(database.names, database.nextId);

  return async ({ context, jobs }) => {
    if (jobs.length === 0) return [];
    return database.write(
      "createJobs",
      context,
      (session) => {
        // One prepared statement per row is faster than one statement over a JSON array (see HOW_IT_WORKS.md).
        const insert = beginInserts(session, session.now());
        return jobs.map((job) => insert(job));
      },
      jobs.length === 1 ? "one_statement" : undefined,
    );
  };
};
