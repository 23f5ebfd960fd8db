import type { TriggerResult } from "queuert/internal";
import { toStateJobReference } from "../job-row.ts";
import type { PgDatabase, PgState } from "../database.ts";

export const triggerJobs = (db: PgDatabase): PgState["triggerJobs"] => {
  const trigger = db.routine("trigger_jobs", { ids: "id[]" });
  return async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const rows = await trigger({ ids: db.ids(ids) }, context);
    const byElement = new Map(rows.map((row) => [Number(row["element"]) - 1, row]));
    return ids.map((_, index): TriggerResult => {
      const row = byElement.get(index);
      if (row !== undefined && row["refusal"] === null) {
        return { kind: "triggered", job: toStateJobReference(row) };
      }
      const reason = row?.["refusal"] === "not_pending" ? "not_pending" : "not_found";
      return { kind: "refused", reason };
    });
  };
};
