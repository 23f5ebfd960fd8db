import { type JobKey, keyHoldersMax, type OperatorStore } from "queuert/internal";
import type { PgDatabase } from "../database.ts";
import { toText } from "../job-row.ts";

export const findKeys = (db: PgDatabase): NonNullable<OperatorStore["findKeys"]> => {
  const find = db.routine("find_keys", { ids: "id[]", max: "integer" });
  return async ({ ids }) => {
    if (ids.length === 0) return [];
    const rows = await find({ ids: db.ids(ids), max: String(keyHoldersMax) });
    const byElement = new Map(
      rows.map((row): [number, JobKey] => [
        Number(row["element"]),
        {
          limitName: toText(row["limit_name"]),
          key: toText(row["key"]),
          cost: Number(row["cost"]),
          holders: JSON.parse(toText(row["holders"])) as string[],
        },
      ]),
    );
    return ids.map((_, index) => byElement.get(index + 1));
  };
};
