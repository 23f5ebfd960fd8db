import { type OperatorStore, possibleStatuses } from "queuert/internal";
import { type PgDatabase, toArrayLiteral } from "../database.ts";
import { toBoolean } from "../job-row.ts";
import { toWhere } from "./conditions.ts";

export const countJobs = (db: PgDatabase): NonNullable<OperatorStore["countJobs"]> => {
  const count = db.routine("count_jobs", {
    where: "text",
    values: "text[]",
    statuses: "text[]",
    max: "integer",
    examine_max: "integer",
  });
  return async ({ conditions, max, examineMax, timeoutMs }) => {
    const { where, values } = toWhere(conditions);
    const statuses = possibleStatuses(conditions);
    const args = {
      where,
      values: toArrayLiteral(values),
      statuses: statuses && toArrayLiteral(statuses),
      max: String(max),
      examine_max: String(examineMax),
    };
    const [row] = await count(args, undefined, timeoutMs);
    return { count: Number(row?.["count"] ?? 0), isAtLeast: toBoolean(row?.["is_at_least"]) };
  };
};
