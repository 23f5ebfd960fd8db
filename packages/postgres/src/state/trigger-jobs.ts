import type { TriggerResult } from "queuert/internal";
import { toStateJobReference } from "../job-reference.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

export const triggerJobs = (db: PgDatabase): PgState["triggerJobs"] => {
  const trigger = db.routine("trigger_jobs", ["id[]"]);
  return async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const rows = await trigger([db.ids(ids)], context);
    const byElement = new Map(rows.map((row) => [Number(row["element"]) - 1, row]));
    return ids.map((_, index): TriggerResult => {
      const row = byElement.get(index);
      if (row?.["kind"] === "triggered") {
        return { kind: "triggered", job: toStateJobReference(row) };
      }
      const reason = row?.["detail"] === "not_pending" ? "not_pending" : "not_found";
      return { kind: "refused", reason };
    });
  };
};
