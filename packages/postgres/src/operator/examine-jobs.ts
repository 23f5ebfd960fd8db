import { type OperatorStore, possibleStatuses } from "queuert/internal";
import { type PgDatabase, toArrayLiteral } from "../database.ts";
import { rowToStateJob } from "../job-row.ts";
import { toWhere } from "./conditions.ts";

export const examineJobs = (db: PgDatabase): NonNullable<OperatorStore["examineJobs"]> => {
  const examine = db.jobRoutine(
    "examine_jobs",
    {
      where: "text",
      values: "text[]",
      statuses: "text[]",
      order: "text",
      after_ordinal: "bigint",
      ordinal_max: "bigint",
      limit: "integer",
      examine_max: "integer",
    },
    ["examined", "last_ordinal"],
  );
  return async ({ conditions, order, limit, afterOrdinal, ordinalMax, examineMax, timeoutMs }) => {
    const { where, values } = toWhere(conditions);
    const statuses = possibleStatuses(conditions);
    const args = {
      where,
      values: toArrayLiteral(values),
      statuses: statuses && toArrayLiteral(statuses),
      order,
      after_ordinal: afterOrdinal === null ? null : String(afterOrdinal),
      ordinal_max: ordinalMax === null ? null : String(ordinalMax),
      limit: String(limit),
      examine_max: String(examineMax),
    };
    const rows = await examine(args, undefined, timeoutMs);
    const end = rows.at(-1);
    const lastOrdinal = end?.["last_ordinal"] ?? null;
    return {
      jobs: rows.slice(0, -1).map(rowToStateJob),
      examined: Number(end?.["examined"] ?? 0),
      examinedTo: lastOrdinal === null ? null : Number(lastOrdinal),
    };
  };
};
