import { argument } from "../database.ts";
import { jobSelection, toStateJob } from "../job-row.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

export const getJobs = (db: PgDatabase): PgState["getJobs"] => {
  const get = db.statement(
    "get_jobs",
    `SELECT u.element, ${jobSelection("j")}
    FROM unnest(${argument(db.names, 1, "id[]")}) WITH ORDINALITY AS u (id, element)
    JOIN ${db.names.schema}.job j ON j.id = u.id`,
  );
  return async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const rows = await get([db.ids(ids)], context);
    const found = new Map(rows.map((row) => [Number(row["element"]), row]));
    return ids.map((_, index) => {
      const row = found.get(index + 1);
      return row && toStateJob(row);
    });
  };
};
