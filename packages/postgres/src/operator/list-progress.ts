import type { OperatorStore, StoredProgress } from "queuert/internal";
import type { PgDatabase } from "../database.ts";
import { toDate, toNullableText } from "../job-row.ts";

export const listProgress = (db: PgDatabase): NonNullable<OperatorStore["listProgress"]> => {
  const list = db.routine("list_progress", { ids: "id[]" });
  return async ({ jobIds }) => {
    if (jobIds.length === 0) return [];
    const found = jobIds.map((): StoredProgress | undefined => undefined);
    for (const row of await list({ ids: db.ids(jobIds) })) {
      const fraction = row["fraction"] ?? null;
      found[Number(row["element"]) - 1] = {
        leaseVersion: Number(row["lease_version"]),
        fraction: fraction === null ? null : Number(fraction),
        note: toNullableText(row["note"]),
        at: toDate(row["stored_at_us"]),
      };
    }
    return found;
  };
};
