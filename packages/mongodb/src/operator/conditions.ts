// The conditions of a search as filters. Their meaning is that of `matchesAll`; the suite compares them.
import type { StoreCondition } from "queuert/internal";
import { isDue, isExpired } from "../job-document.ts";
import { sequenceMembers, sequenceTypeIn, treeMembers } from "../state/list-filters.ts";

const nothing = { _id: { $in: [] } } as const;

const derived = {
  open: { status: { $in: ["blocked", "pending", "running"] } },
  due: { status: "pending", ...isDue },
  scheduled: { status: "pending", $expr: { $gt: ["$scheduledAt", "$$NOW"] } },
  retrying: { status: "pending", attempt: { $gt: 0 } },
  stalled: { status: "running", ...isExpired },
  root: { position: 0, rootSequenceId: { $exists: false } },
} as const;

export const toFilter = (condition: StoreCondition): object => {
  const filter = positive(condition);
  return condition.negated ? { $nor: [filter] } : filter;
};

const positive = (condition: StoreCondition): object => {
  switch (condition.field) {
    case "id":
      return { _id: { $in: condition.anyOf } };
    case "idPrefix":
      return either(
        condition.anyOf.map((prefix) => ({ _id: { $gte: prefix, $lt: `${prefix}\u{10ffff}` } })),
      );
    case "text":
      return textIn(condition);
    case "status":
      return { status: { $in: condition.anyOf } };
    case "is":
      return either(condition.anyOf.map((state) => derived[state]));
    case "number":
      if (condition.of === "priority") return priorityWithin(condition.min, condition.max);
      return { [condition.of]: within(condition.min, "$lte", condition.max) };
    case "time":
      return { [condition.of]: within(condition.from, "$lt", condition.to) };
    case "contains":
      return either(
        condition.of.flatMap((field) => condition.anyOf.map((part) => contains(field, part))),
      );
  }
};

const textIn = ({ of, anyOf }: Extract<StoreCondition, { field: "text" }>): object => {
  switch (of) {
    case "sequenceTypeName":
      return sequenceTypeIn(anyOf);
    case "sequenceId":
      return sequenceMembers(anyOf);
    case "rootSequenceId":
      return treeMembers(anyOf);
    case "limitKey":
      return either(anyOf.map(ofLimitKey));
    default:
      return { [of]: { $in: anyOf } };
  }
};

/** The id of a key is the JSON of its limit and its name. */
const ofLimitKey = (key: string): object => {
  const end = `,${JSON.stringify(key)}]`.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return { limitKeyId: { $regex: `${end}$` } };
};

const either = (filters: readonly object[]): object =>
  filters.length === 0 ? nothing : { $or: filters };

/** A job under a key has its priority in a field of its own. */
const priorityWithin = (min: number | null, max: number | null): object => ({
  $or: [{ priority: within(min, "$lte", max) }, { keyPriority: within(min, "$lte", max) }],
});

/** A field that is absent is in no bounds. */
const within = (
  least: Date | number | null,
  upper: "$lt" | "$lte",
  bound: Date | number | null,
): object => ({
  $exists: true,
  ...(least !== null && { $gte: least }),
  ...(bound !== null && { [upper]: bound }),
});

/** The position in an absent field is null, which is less than any number. */
const contains = (field: string, part: string): object => ({
  $expr: { $gte: [{ $indexOfBytes: [`$${field}`, { $literal: part }] }, 0] },
});
