import type { OperatorStore } from "queuert/internal";
import type { PgDatabase } from "../database.ts";
import { toText } from "../job-row.ts";

const least = "00000000-0000-0000-0000-000000000000";
const largest = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** UUIDs sort as their texts do. Texts sort by the language of the database, in which a beginning is no range. */
export const findIds = (db: PgDatabase): NonNullable<OperatorStore["findIds"]> => {
  const find = db.routine("find_ids", { from: "id", to: "id", limit: "integer" });
  return async ({ prefix, limit, timeoutMs }) => {
    if (db.names.idTypeName.toLowerCase() !== "uuid") return null;
    const from = prefix + least.slice(prefix.length);
    // The database writes UUIDs in lower case: no id begins with another text.
    if (prefix !== prefix.toLowerCase() || db.id(from) === null) return [];
    const to = prefix + largest.slice(prefix.length);
    const rows = await find({ from, to, limit: String(limit) }, undefined, timeoutMs);
    return rows.map((row) => toText(row["id"]));
  };
};
