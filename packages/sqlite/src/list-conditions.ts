// WHERE clauses for the given filters. There are few shapes, so every statement is prepared once. Values are always
// parameters.
import { jobStatuses, type JobStatus, type ListJobsParams } from "queuert/internal";
import type { SqliteValue } from "./connection.ts";

export interface Conditions {
  readonly where: string;
  readonly parameters: readonly SqliteValue[];
}

export type Condition = readonly [sql: string, ...parameters: SqliteValue[]];

export const allOf = (conditions: readonly (Condition | null)[]): Conditions => {
  const given = conditions.filter((condition) => condition !== null);
  return {
    where: given.length === 0 ? "TRUE" : given.map(([sql]) => sql).join(" AND "),
    parameters: given.flatMap(([, ...parameters]) => parameters),
  };
};

export const isOneOf = (column: string, values: readonly string[] | null): Condition | null => {
  if (values === null) return null;
  const [only] = values;
  if (only !== undefined && values.length === 1) return [`${column} = ?`, only];
  return [`${column} IN (SELECT value FROM json_each(?))`, JSON.stringify(values)];
};

/**
 * The ordinals of the jobs with these statuses, unless one of them has no index: `completed` and `cancelled`. Each status is read from its partial
 * index, which needs the status in the text. Otherwise a page of ten failed jobs would read a million completed ones.
 */
export const ordinalsWithStatus = (job: string, statuses: readonly JobStatus[]): string | null =>
  statuses.length === 0 || statuses.includes("completed") || statuses.includes("cancelled")
    ? null
    : jobStatuses
        .filter((status) => statuses.includes(status))
        .flatMap((status) =>
          // Pending jobs have two indexes: jobs under keys are in the second.
          status === "pending"
            ? ["'pending' AND limit_key IS NULL", "'pending' AND limit_key IS NOT NULL"]
            : [`'${status}'`],
        )
        .map((condition) => `SELECT ordinal FROM ${job} WHERE status = ${condition}`)
        .join(" UNION ALL ");

type Page = Pick<ListJobsParams<object>, "afterOrdinal" | "order" | "createdFrom" | "createdTo">;

/** The conditions of both lists: a page strictly after an ordinal, and the time of creation. */
export const pageConditions = (
  alias: string,
  { afterOrdinal, order, createdFrom, createdTo }: Page,
): readonly (Condition | null)[] => [
  afterOrdinal === null
    ? null
    : [`${alias}.ordinal ${order === "asc" ? ">" : "<"} ?`, afterOrdinal],
  createdFrom === null ? null : [`${alias}.created_at >= ?`, createdFrom.getTime()],
  createdTo === null ? null : [`${alias}.created_at < ?`, createdTo.getTime()],
];

/** The jobs of a tree: the first job of the root, and its other members. */
export const isInTree = (alias: string, rootSequenceId: string | null): Condition | null =>
  rootSequenceId === null
    ? null
    : [
        `(${alias}.id = ? OR (${alias}.root_sequence_id = ? AND ${alias}.root_sequence_id <> ${alias}.id))`,
        rootSequenceId,
        rootSequenceId,
      ];
