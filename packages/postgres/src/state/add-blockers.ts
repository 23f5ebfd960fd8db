// Step 2 of the walk: jobs wait for sequences. The routine and `complete_jobs` write the same rows, in any isolation level,
// so that no wake-up is lost between them.
import { column } from "../database.ts";
import { toStateJob, toText } from "../job-row.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

const argTypes = ["integer[]", "id[]", "integer[]", "id[]", "id[]"];

export const addBlockers = (db: PgDatabase): PgState["addBlockers"] => {
  const add = db.routine("add_blockers", argTypes);
  return async ({ context, jobs }) => {
    if (jobs.length === 0) return [];
    const edges = jobs.flatMap(({ jobId, blockerSequenceIds }, element) =>
      blockerSequenceIds.map((blockerId, index) => ({ element, jobId, index, blockerId })),
    );
    const rows = await add(
      [
        column(edges, ({ element }) => element + 1),
        db.storableIds(edges.map(({ jobId }) => jobId)),
        column(edges, ({ index }) => index),
        db.storableIds(edges.map(({ blockerId }) => blockerId)),
        db.storableIds(jobs.map(({ jobId }) => jobId)),
      ],
      context,
    );
    const missing = jobs.map((): string[] => []);
    const stored = new Map<number, (typeof rows)[number]>();
    for (const row of rows) {
      const index = Number(row["element"]) - 1;
      if (row["kind"] === "job") stored.set(index, row);
      else missing[index]?.push(toText(row["detail"]));
    }
    return jobs.map((_, index) => {
      const row = stored.get(index);
      if (row === undefined) throw new Error("addBlockers was given a job that is not stored");
      return { job: toStateJob(row), missing: [...new Set(missing[index])] };
    });
  };
};
