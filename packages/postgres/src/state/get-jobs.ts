import { rowToStateJob } from "../job-row.ts";
import type { PgDatabase, PgState } from "../database.ts";

export const getJobs = (db: PgDatabase): PgState["getJobs"] => {
  const get = db.jobRoutine("get_jobs", { ids: "id[]" }, ["element"]);
  return async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const rows = await get({ ids: db.ids(ids) }, context);
    const found = new Map(rows.map((row) => [Number(row["element"]), row]));
    return ids.map((_, index) => {
      const job = found.get(index + 1);
      return job === undefined ? undefined : rowToStateJob(job);
    });
  };
};
