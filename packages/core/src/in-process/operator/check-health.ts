import type { Database, InProcessOperatorMethod } from "../database.ts";

/** More finished jobs take memory that no job needs. */
const finishedMax = 100_000;

export const checkHealth =
  (database: Database): InProcessOperatorMethod<"checkHealth"> =>
  async () =>
    database.read(undefined, "checkHealth", ({ queues }) => {
      const finished = [...queues.values()].reduce(
        (sum, { counts }) => sum + counts.completed + counts.failed + counts.cancelled,
        0,
      );
      if (finished <= finishedMax) return [];
      const text =
        `${finished.toLocaleString("en-US")} finished jobs are kept in the memory of this process: ` +
        "give a worker a `retention`, or keep jobs in a database.";
      return [{ level: "warn", text }];
    });
