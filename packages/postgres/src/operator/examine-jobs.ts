import type { ExamineJobsParams, JobStatus, OperatorStore } from "queuert/internal";
import { toArrayLiteral } from "../array-literal.ts";
import type { PgDatabase } from "../database.ts";
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
  return async ({ conditions, order, limit, afterOrdinal, ordinalMax, examineMax }) => {
    const { where, values } = toWhere(conditions);
    const statuses = statusesOf(conditions);
    const rows = await examine({
      where,
      values: toArrayLiteral(values),
      statuses: statuses && toArrayLiteral(statuses),
      order,
      after_ordinal: afterOrdinal === null ? null : String(afterOrdinal),
      ordinal_max: ordinalMax === null ? null : String(ordinalMax),
      limit: String(limit),
      examine_max: String(examineMax),
    });
    const end = rows.at(-1);
    const lastOrdinal = end?.["last_ordinal"] ?? null;
    return {
      jobs: rows.slice(0, -1).map(rowToStateJob),
      examined: Number(end?.["examined"] ?? 0),
      examinedTo: lastOrdinal === null ? null : Number(lastOrdinal),
    };
  };
};

const openStatuses: readonly JobStatus[] = ["blocked", "pending", "running"];

/** The statuses that can match; null: all of them. */
const statusesOf = (conditions: ExamineJobsParams["conditions"]): readonly JobStatus[] | null => {
  for (const condition of conditions) {
    if (condition.negated) continue;
    if (condition.field === "status") return condition.anyOf;
    // Every derived state but `root` is one of an open job.
    if (condition.field === "is" && !condition.anyOf.includes("root")) return openStatuses;
  }
  return null;
};
