import type { OperatorStore } from "queuert/internal";
import type { PgDatabase } from "../database.ts";
import { toText } from "../job-row.ts";

export const listLimitKeys = (db: PgDatabase): NonNullable<OperatorStore["listLimitKeys"]> => {
  const list = db.routine("list_limit_keys", {
    limit_name: "text",
    from_key: "text",
    limit: "integer",
  });
  return async ({ limitName, fromKey, limit }) => {
    const rows = await list({ limit_name: limitName, from_key: fromKey, limit: String(limit) });
    return rows.map((row) => toText(row["key"]));
  };
};
