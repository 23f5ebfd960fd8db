// The conditions of a search as SQL. Their meaning is that of `matchesAll`; the suite compares them.
import type { StoreCondition } from "queuert/internal";
import type { SqliteValue } from "../connection.ts";
import { rootSequenceIdOf, sequenceIdOf } from "../job-row.ts";
import type { Condition } from "../list-conditions.ts";

const textColumns = {
  typeName: "job.type_name",
  // Only later jobs of a sequence store its type.
  sequenceTypeName: "coalesce(job.sequence_type_name, job.type_name)",
  sequenceId: sequenceIdOf("job"),
  rootSequenceId: rootSequenceIdOf("job"),
  originId: "job.origin_id",
  deduplicationKey: "job.deduplication_key",
  leasedBy: "job.leased_by",
  completedBy: "job.completed_by",
  limitName: "job.limit_name",
  limitKey: "job.limit_key",
} as const;

const partColumns = {
  input: "job.input",
  output: "job.output",
  lastAttemptError: "job.last_attempt_error",
} as const;

const derived = {
  open: "job.status IN ('blocked', 'pending', 'running')",
  due: "job.status = 'pending' AND job.scheduled_at <= ?",
  scheduled: "job.status = 'pending' AND job.scheduled_at > ?",
  retrying: "job.status = 'pending' AND job.attempt > 0",
  stalled: "job.status = 'running' AND job.leased_until <= ?",
  root: `job.position = 0 AND ${rootSequenceIdOf("job")} = job.id`,
} as const;

/** A condition of a WHERE clause. `now`: by SQLite's clock. */
export const toSql = (condition: StoreCondition, now: number): Condition => {
  const [sql, ...parameters] = positive(condition, now);
  // A comparison with NULL is not true, and neither is its negation.
  return [condition.negated ? `NOT coalesce((${sql}), 0)` : `(${sql})`, ...parameters];
};

const isAny = (column: string, values: readonly string[]): Condition => [
  `${column} IN (SELECT value FROM json_each(?))`,
  JSON.stringify(values),
];

const positive = (condition: StoreCondition, now: number): Condition => {
  switch (condition.field) {
    case "id":
      return isAny("job.id", condition.anyOf);
    case "idPrefix":
      return either(
        condition.anyOf.map((prefix) => [
          "(job.id >= ? AND substr(job.id, 1, length(?)) = ?)",
          ...[prefix, prefix, prefix],
        ]),
      );
    case "text":
      return isAny(textColumns[condition.of], condition.anyOf);
    case "status":
      return isAny("job.status", condition.anyOf);
    case "is":
      return either(
        condition.anyOf.map((state) => {
          const sql = derived[state];
          return sql.includes("?") ? [`(${sql})`, now] : [`(${sql})`];
        }),
      );
    case "number":
      return within(`job.${condition.of}`, [
        [">=", condition.min],
        ["<=", condition.max],
      ]);
    case "time":
      return within(condition.of === "createdAt" ? "job.created_at" : "job.finished_at", [
        [">=", condition.from?.getTime() ?? null],
        ["<", condition.to?.getTime() ?? null],
      ]);
    case "contains":
      return either(
        condition.of.flatMap((field) =>
          condition.anyOf.map((part): Condition => [
            `coalesce(instr(${partColumns[field]}, ?), 0) > 0`,
            part,
          ]),
        ),
      );
  }
};

const either = (conditions: readonly Condition[]): Condition => {
  if (conditions.length === 0) return ["FALSE"];
  const parameters = conditions.flatMap(([, ...values]): readonly SqliteValue[] => values);
  return [conditions.map(([sql]) => sql).join(" OR "), ...parameters];
};

const within = (
  column: string,
  bounds: readonly (readonly [operator: string, bound: number | null])[],
): Condition => {
  const given = bounds.filter(([, bound]) => bound !== null);
  const tests = [`${column} IS NOT NULL`, ...given.map(([operator]) => `${column} ${operator} ?`)];
  return [tests.join(" AND "), ...given.map(([, bound]) => bound)];
};
