// Step 2 of the walk: jobs wait for sequences. The routine and `complete_jobs` write the same rows, at any isolation level,
// so that no wake-up is lost between them.
import type { StateJob } from "queuert/internal";
import { column, type PgDatabase, type PgState } from "../database.ts";
import { toStateJob, toText } from "../job-row.ts";

export const addBlockers = (db: PgDatabase): PgState["addBlockers"] => {
  const add = db.routine("add_blockers", {
    elements: "integer[]",
    job_ids: "id[]",
    indexes: "integer[]",
    blocker_ids: "id[]",
    all_job_ids: "id[]",
  });
  const setDeadlines = db.routine("set_deadlines", { ids: "id[]", wait_ms: "float8[]" });
  return async ({ context, jobs }) => {
    if (jobs.length === 0) return [];
    const waits = jobs.filter(({ waitAtMostMs }) => waitAtMostMs !== undefined);
    if (waits.length > 0) {
      const ids = db.storableIds(waits.map(({ jobId }) => jobId));
      const wait_ms = column(waits, ({ waitAtMostMs = 0 }) => waitAtMostMs);
      await setDeadlines({ ids, wait_ms }, context);
    }
    const edges = jobs.flatMap(({ jobId, blockerSequenceIds }, element) =>
      blockerSequenceIds.map((blockerId, index) => ({ element, jobId, index, blockerId })),
    );
    const rows = await add(
      {
        elements: column(edges, ({ element }) => element + 1),
        job_ids: db.storableIds(edges.map(({ jobId }) => jobId)),
        indexes: column(edges, ({ index }) => index),
        blocker_ids: db.storableIds(edges.map(({ blockerId }) => blockerId)),
        all_job_ids: db.storableIds(jobs.map(({ jobId }) => jobId)),
      },
      context,
    );
    const missing = jobs.map((): string[] => []);
    const stored = new Map<number, StateJob>();
    for (const row of rows) {
      const index = Number(row["element"]) - 1;
      if (row["job"] !== null) stored.set(index, toStateJob(row["job"]));
      else missing[index]?.push(toText(row["missing_id"]));
    }
    return jobs.map((_, index) => {
      const job = stored.get(index);
      if (job === undefined) throw new Error("addBlockers was given a job that is not stored");
      return { job, missing: [...new Set(missing[index])] };
    });
  };
};
