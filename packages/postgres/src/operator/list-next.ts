import type { OperatorStore } from "queuert/internal";
import { type PgDatabase, storableText } from "../database.ts";
import { toText } from "../job-row.ts";

export const listNext = (db: PgDatabase): NonNullable<OperatorStore["listNext"]> => {
  const list = db.routine("list_next", {
    type_name: "text",
    limit: "integer",
    examine_max: "integer",
  });
  return async ({ typeName, limit, examineMax, timeoutMs }) => {
    const params = {
      type_name: storableText(typeName),
      limit: String(limit),
      examine_max: String(examineMax),
    };
    const rows = await list(params, undefined, timeoutMs);
    // The last row says how far it looked.
    const ids = rows.slice(0, -1).map((row) => toText(row["id"]));
    const looked = Number(rows.at(-1)?.["looked"] ?? 0);
    return { ids, isCut: ids.length < limit && looked >= examineMax };
  };
};
