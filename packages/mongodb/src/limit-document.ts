// Limits of job types, one document each. A document stays without bounds, too, and with it its declaration.
import type { LimitDeclaration, StateBounds } from "queuert/internal";
import type { Database } from "./database.ts";
import { outside, type Scope } from "./store.ts";

export interface LimitDocument extends StateBounds {
  /** The job type, or a name that several types share. */
  readonly _id: string;
  readonly isBounded: boolean;
  /** The bounds of each of its keys. Absent: none. */
  readonly perKey?: StateBounds | undefined;
  readonly agingMs?: number | null | undefined;
  /** An acquisition of the type needs it: it has bounds, or orders the jobs. */
  readonly concernsType?: boolean | undefined;
  readonly declaration: LimitDeclaration | null;
  readonly updatedAt: Date;
  /** When the tokens of the rate are back, in microseconds. Null: no job has started under the rate. */
  readonly backAtUs: number | null;
  /** The time of the last transaction that needed the limit alone. */
  readonly lockedAt?: Date | undefined;
}

/** A limit with bounds, as a row among candidates. */
export interface BoundedLimit {
  readonly isLimit: true;
  readonly typeName: string;
}

/** A document of before limits by key has the first field alone. */
const concerning = { $or: [{ isBounded: true }, { concernsType: true }] } as const;

/** Over the collection of limits: those rows. */
export const boundedLimitRows = (typeNames: readonly string[]): readonly object[] => [
  { $match: { _id: { $in: typeNames }, ...concerning } },
  { $project: { _id: 0, isLimit: { $literal: true }, typeName: "$_id" } },
];

/**
 * The limit of a type for this transaction alone, with the store's time in `lockedAt`. Null if the type has no bounds. A
 * transaction that meets another one is aborted, and its caller runs it again.
 */
export const lockLimit = (
  db: Database,
  scope: Scope,
  typeName: string,
): Promise<LimitDocument | null> =>
  db.limits.findOneAndUpdate(
    scope,
    { _id: typeName, ...concerning },
    [{ $set: { lockedAt: "$$NOW" } }],
    {},
  );

/** The jobs of a type, or under keys of a limit, that hold an unexpired lease. */
export const countPermits = async (
  db: Database,
  scope: Scope,
  name: string,
  now: Date,
): Promise<number> => {
  const counted = { $or: [{ typeName: name }, { limitName: name }] };
  const [found] = await db.jobs.aggregate<{ readonly count: number }>(scope, [
    { $match: { status: "running", leasedUntil: { $gt: now }, ...counted } },
    { $count: "count" },
  ]);
  return found?.count ?? 0;
};

/** The types under limits. Usually none: the collection is empty. */
export const readBoundedTypes = async (db: Database): Promise<ReadonlySet<string>> => {
  const found = await db.limits.find(
    outside,
    // By the index of ids.
    { _id: { $gt: "" }, isBounded: true },
    { projection: { _id: 1 } },
  );
  return new Set(found.map(({ _id }) => _id));
};
