// The conditions of a search as SQL, for the routine `examine_jobs`. Their meaning is that of `matchesAll`; the suite compares
// them. Each value is an element of an array, and never a part of the text.
import type { JobStatus, StoreCondition } from "queuert/internal";
import { toArrayLiteral } from "../database.ts";

// The columns of a job as it is shown: those of a running job are with its lease.
const status =
  "CASE WHEN j_lease.leased_until IS NOT NULL THEN 'running' WHEN j.status = 'open' THEN 'pending' ELSE j.status END";
const attempt = "(j.attempt + CASE WHEN j_lease.leased_until IS NULL THEN 0 ELSE 1 END)";
const isPending = "j.status = 'open' AND j_lease.leased_until IS NULL";
/** When the search began. */
const now = "$8";

/** A part of the queue of a job under a key; see `limit-queue.ts`. NULL for another job. */
const queuePart = (part: number): string =>
  `replace(replace(split_part(j.queue, chr(1), ${part}), chr(2) || '1', chr(1)), chr(2) || '2', chr(2))`;

const textColumns = {
  typeName: "j.type_name",
  sequenceTypeName: "j.sequence_type_name",
  sequenceId: "j.sequence_id::text",
  rootSequenceId: "j.root_sequence_id::text",
  originId: "j.origin_id::text",
  deduplicationKey: "j.deduplication_key",
  leasedBy: "j_lease.leased_by",
  completedBy: "j.completed_by",
  limitName: queuePart(2),
  limitKey: queuePart(3),
} as const;

const partColumns = {
  input: "j.input",
  output: "j.output",
  lastAttemptError: "j.last_attempt_error",
} as const;

const derived = {
  open: "j.status IN ('open', 'blocked')",
  due: `(${isPending} AND j.scheduled_at <= ${now})`,
  scheduled: `(${isPending} AND j.scheduled_at > ${now})`,
  retrying: `(${isPending} AND j.attempt > 0)`,
  stalled: `j_lease.leased_until <= ${now}`,
  root: "(j.position = 0 AND j.sequence_id = j.root_sequence_id)",
} as const;

/** The text of a WHERE clause, and its values. */
export const toWhere = (
  conditions: readonly StoreCondition[],
): { readonly where: string; readonly values: readonly string[] } => {
  const values: string[] = [];
  const add = (value: string): string => `($7::text[])[${values.push(value)}]`;
  const tests = conditions.flatMap((condition) => {
    // A comparison with NULL is not true, and neither is its negation.
    const test = `coalesce((${positive(condition, add)}), false)`;
    return condition.negated ? [`NOT ${test}`] : [...ofTheRow(condition), test];
  });
  return { where: ["true", ...tests].join(" AND "), values };
};

const isOpen = "j.status = 'open'";

const rowTests = {
  ...{ open: derived.open, root: derived.root, stalled: isOpen },
  due: `(${isOpen} AND j.scheduled_at <= ${now})`,
  scheduled: `(${isOpen} AND j.scheduled_at > ${now})`,
  retrying: `(${isOpen} AND j.attempt > 0)`,
} as const satisfies Record<keyof typeof derived, string>;

/** The part of a condition that is about the row alone. A lease is looked for only where that holds. */
const ofTheRow = (condition: StoreCondition): readonly string[] => {
  if (condition.field === "is") {
    return [`(${either(condition.anyOf.map((state) => rowTests[state]))})`];
  }
  if (condition.field !== "status" || isAboutTheRow(condition.anyOf)) return [];
  const { anyOf } = condition;
  return anyOf.every((each) => each === "pending" || each === "running") ? [isOpen] : [];
};

/** Pending and running jobs differ by the lease alone. Where both are asked for, or neither is, the row decides. */
const isAboutTheRow = (statuses: readonly JobStatus[]): boolean =>
  statuses.includes("pending") === statuses.includes("running");

const isAnyStatus = (statuses: readonly JobStatus[], add: Add): string => {
  if (!isAboutTheRow(statuses)) return isAny(status, statuses, add);
  const ofRow = statuses.filter((each) => each !== "running");
  return isAny(
    "j.status",
    ofRow.map((each) => (each === "pending" ? "open" : each)),
    add,
  );
};

type Add = (value: string) => string;

const isAny = (column: string, texts: readonly string[], add: Add): string =>
  `${column} = ANY(${add(toArrayLiteral(texts))}::text[])`;

const positive = (condition: StoreCondition, add: Add): string => {
  switch (condition.field) {
    case "id":
      return isAny("j.id::text", condition.anyOf, add);
    case "idPrefix":
      return either(
        condition.anyOf.map((prefix) => {
          const value = add(prefix);
          return `left(j.id::text, length(${value})) = ${value}`;
        }),
      );
    case "text":
      return isAny(textColumns[condition.of], condition.anyOf, add);
    case "status":
      return isAnyStatus(condition.anyOf, add);
    case "is":
      return either(condition.anyOf.map((state) => derived[state]));
    case "number":
      return within(condition.of === "attempt" ? attempt : "j.priority", "integer", [
        [">=", condition.min === null ? null : add(String(condition.min))],
        ["<=", condition.max === null ? null : add(String(condition.max))],
      ]);
    case "time":
      return within(
        condition.of === "createdAt" ? "j.created_at" : "j.finished_at",
        "timestamptz",
        [
          [">=", condition.from === null ? null : add(condition.from.toISOString())],
          ["<", condition.to === null ? null : add(condition.to.toISOString())],
        ],
      );
    case "contains":
      return either(
        condition.of.flatMap((field) =>
          condition.anyOf.map((part) => `strpos(${partColumns[field]}, ${add(part)}) > 0`),
        ),
      );
  }
};

/** A test that is NULL does not make the others NULL: `NULL OR true` is true. */
const either = (tests: readonly string[]): string =>
  tests.length === 0 ? "false" : tests.join(" OR ");

const within = (
  column: string,
  type: string,
  bounds: readonly (readonly [operator: string, value: string | null])[],
): string =>
  [
    `${column} IS NOT NULL`,
    ...bounds.flatMap(([operator, value]) =>
      value === null ? [] : [`${column} ${operator} ${value}::${type}`],
    ),
  ].join(" AND ");
