// The turns of types: the keys to look at, oldest turn first. A turn is
// - a pending job under a key that was not looked at since it became pending,
// - a job that has ended, or is pending again, and held a permit of its key before,
// - a running job whose lease has expired,
// - the time of a look, in the document of the key.
import type { Database } from "../database.ts";
import { isExpired } from "../job-document.ts";
import { readProbes } from "../probes.ts";
import { keptBackValues } from "./key-document.ts";

/** A turn, as a row. */
interface TurnRow {
  readonly keyId: string;
  readonly at: Date;
  /** Among the turns of that time. Absent in a job that was never started. */
  readonly place?: number | null | undefined;
  readonly used?: number | undefined;
  /** The document is a look alone. */
  readonly lookId?: string | undefined;
}

/** A key with a turn. */
export interface TurnOfKey {
  readonly keyId: string;
  /** The oldest turn. */
  readonly at: Date;
  readonly place: number;
  /** How many jobs of its weight it has started in this turn: there was no room for the others. */
  readonly used: number;
  /** Documents that are looks alone. */
  readonly lookIds: readonly string[];
}

export interface TurnsOfType {
  /** Oldest first. */
  readonly keys: readonly TurnOfKey[];
  /** There may be more of them. */
  readonly isCut: boolean;
}

/** A job with these statuses is a turn from `turnAt` on. */
export const turnStatuses = ["pending", "completed", "failed", "cancelled"] as const;

/** For indexes with the jobs that have the field alone. */
export const anyTurn: { readonly turnAt: object } = { turnAt: { $gte: new Date(0) } };
export const isTurnDue = { $expr: { $lte: ["$turnAt", "$$NOW"] } } as const;
export const anyLook: { readonly lookAt: object } = { lookAt: { $gte: new Date(0) } };
const isLookDue = { ...anyLook, $expr: { $lte: ["$lookAt", "$$NOW"] } } as const;

const ofJobs = (typeName: string, without: readonly string[], limit: number): object[] => [
  {
    $match: {
      ...{ typeName, status: { $in: turnStatuses }, ...anyTurn },
      ...(without.length > 0 && { limitKeyId: { $nin: without } }),
    },
  },
  { $sort: { turnAt: 1, turnPlace: 1 } },
  { $limit: limit },
  // The index has all that is read. A condition on the time before would read the jobs.
  { $project: { _id: 0, limitKeyId: 1, turnAt: 1, turnPlace: 1 } },
  { $match: isTurnDue },
  { $project: { keyId: "$limitKeyId", at: "$turnAt", place: "$turnPlace" } },
];

const ofKeys = (db: Database, typeName: string, limit: number): object => ({
  $unionWith: {
    coll: db.limitKeys.name,
    pipeline: [
      { $match: { lookType: typeName, keptBack: { $in: keptBackValues }, ...isLookDue } },
      { $sort: { lookAt: 1, turnPlace: 1 } },
      { $limit: limit },
      {
        $project: {
          ...{ _id: 0, keyId: 1, at: "$lookAt", place: "$turnPlace", used: "$turnUsed" },
          lookId: { $cond: [{ $eq: ["$_id", "$keyId"] }, "$$REMOVE", "$_id"] },
        },
      },
    ],
  },
});

const ofExpired = (typeName: string, limit: number): object[] => [
  { $match: { status: "running", ...isExpired, typeName, limitKeyId: { $gt: "" } } },
  { $sort: { leasedUntil: 1 } },
  { $limit: limit },
  { $project: { _id: 0, keyId: "$limitKeyId", at: "$leasedUntil" } },
];

/** Full keys of which an attempt of another type has ended. Its turn may be gone already: each look of such a key has a time, too. */
const ofSharedKeys = (db: Database, typeName: string): object => ({
  $unionWith: {
    coll: db.limitKeys.name,
    pipeline: [
      {
        $match: {
          ...{ lookType: typeName, keptBack: "shared", ...anyLook },
          $expr: { $gt: ["$lookAt", "$$NOW"] },
        },
      },
      { $sort: { lookAt: 1 } },
      { $limit: sharedMax },
      {
        $lookup: {
          from: db.jobs.name,
          localField: "keyId",
          foreignField: "limitKeyId",
          pipeline: [
            {
              $match: {
                ...{ status: { $in: turnStatuses }, ...anyTurn, ...isTurnDue },
                ...{ typeName: { $ne: typeName }, leaseVersion: { $gt: 0 } },
              },
            },
            { $limit: 1 },
            { $project: { _id: 0, turnAt: 1 } },
          ],
          as: "ended",
        },
      },
      { $unwind: "$ended" },
      { $project: { _id: 0, keyId: 1, at: "$ended.turnAt" } },
    ],
  },
});

const sharedMax = 100;
const roundsMax = 3;

/** The keys of a type with due turns, at least `wanted` of them if there are so many. */
export const readTurns = async (
  db: Database,
  typeName: string,
  wanted: number,
): Promise<TurnsOfType> => {
  const limit = wanted + 50;
  const rows: TurnRow[] = await readProbes<TurnRow>(
    db.jobs,
    [ofJobs(typeName, [], limit), ofExpired(typeName, limit)],
    [ofKeys(db, typeName, limit), ofSharedKeys(db, typeName)],
  );
  let isCut = rows.length >= limit;
  let keys = inOrder(rows);
  // One key may have all of the first turns. The index has the key, so the others of it are passed over without reading jobs.
  for (let round = 1; isCut && keys.length < wanted && round < roundsMax; round++) {
    const without = keys.map(({ keyId }) => keyId);
    const others = await readProbes<TurnRow>(db.jobs, [ofJobs(typeName, without, limit)]);
    for (const row of others) rows.push(row);
    keys = inOrder(rows);
    isCut = others.length >= limit;
  }
  return { keys, isCut };
};

const inOrder = (rows: readonly TurnRow[]): readonly TurnOfKey[] => {
  const keys = new Map<string, OldestTurn & { readonly lookIds: string[] }>();
  for (const { keyId, at, place, used = 0, lookId } of rows) {
    const turn: OldestTurn = { at, place: place ?? -1, used };
    const known = keys.get(keyId);
    const lookIds = known?.lookIds ?? [];
    if (lookId !== undefined) lookIds.push(lookId);
    const isOldest = known === undefined || byAge(turn, known) < 0;
    keys.set(keyId, { ...(isOldest ? turn : known), lookIds });
  }
  return [...keys]
    .sort(([, left], [, right]) => byAge(left, right))
    .map(([keyId, turn]) => ({ keyId, ...turn }));
};

type OldestTurn = Pick<TurnOfKey, "at" | "place" | "used">;

const byAge = (left: OldestTurn, right: OldestTurn): number =>
  left.at.getTime() - right.at.getTime() || left.place - right.place;
