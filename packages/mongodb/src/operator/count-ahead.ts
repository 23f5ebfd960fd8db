// Due jobs before a job, in the order of acquisition. Each part reads at most `max` entries of the index `due`, so scheduled jobs
// of a higher priority cost no more than that.
import type { JobsAhead, OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import type { JobDocument } from "../job-document.ts";
import { type Scope, within } from "../store.ts";

interface Place extends Pick<
  JobDocument,
  "_id" | "typeName" | "priority" | "keyPriority" | "limitKeyId" | "scheduledAt" | "ordinal"
> {
  readonly now: Date;
}

const placeFields = {
  typeName: 1,
  priority: 1,
  keyPriority: 1,
  limitKeyId: 1,
  scheduledAt: 1,
  ordinal: 1,
  now: "$$NOW",
} as const;

/** The pending jobs among which a job waits, of some priorities: those of its type, or of its key. */
const lineOf = (
  { typeName, priority = 0, keyPriority = 0, limitKeyId }: Place,
  isHigher: boolean,
): object => {
  const of = (own: number): object | number => (isHigher ? { $gt: own } : own);
  return limitKeyId === undefined
    ? { status: "pending", typeName, priority: of(priority) }
    : { status: "pending", typeName, limitKeyId, keyPriority: of(keyPriority) };
};

export const countAhead =
  (db: Database): NonNullable<OperatorStore["countAhead"]> =>
  async ({ ids, max, timeoutMs }) => {
    if (ids.length === 0) return [];
    const scope = within(timeoutMs);
    const found = await db.jobs.aggregate<Place>(scope, [
      { $match: { _id: { $in: ids }, status: "pending" } },
      { $project: placeFields },
    ]);
    const places = new Map(found.map((place) => [place._id, place]));
    const counts = new Map<string, JobsAhead>();
    for (const [id, place] of places) counts.set(id, await aheadOf(db, scope, place, max));
    return ids.map((id) => counts.get(id));
  };

const aheadOf = async (
  db: Database,
  scope: Scope,
  place: Place,
  max: number,
): Promise<JobsAhead> => {
  const [higher] = await db.jobs.aggregate<{ looked: number; due: number }>(
    scope,
    higherPipeline(place, max),
  );
  const [earlier] = await db.jobs.aggregate<{ count: number }>(scope, earlierPipeline(place, max));
  const { looked, due } = higher ?? { looked: 0, due: 0 };
  const all = due + (earlier?.count ?? 0);
  const ahead = Math.min(all, max);
  return {
    ahead,
    higherPriority: Math.min(due, ahead),
    isAtLeast: looked > max || all > max,
  };
};

const higherPipeline = (place: Place, max: number): object[] => [
  { $match: lineOf(place, true) },
  { $limit: max + 1 },
  {
    $group: {
      _id: null,
      looked: { $sum: 1 },
      due: { $sum: { $cond: [{ $lte: ["$scheduledAt", "$$NOW"] }, 1, 0] } },
    },
  },
];

// The first jobs of the line, in its order, by the index alone. For `$or` in the filter, or a condition on `$$NOW`, the server would
// read each document.
const earlierPipeline = (place: Place, max: number): object[] => [
  {
    $match: {
      ...lineOf(place, false),
      scheduledAt: { $lte: place.scheduledAt < place.now ? place.scheduledAt : place.now },
    },
  },
  { $sort: { scheduledAt: 1, ordinal: 1 } },
  { $limit: max + 1 },
  {
    $group: {
      _id: null,
      count: {
        $sum: {
          $cond: [
            {
              $or: [
                { $lt: ["$scheduledAt", place.scheduledAt] },
                { $lt: ["$ordinal", place.ordinal] },
              ],
            },
            1,
            0,
          ],
        },
      },
    },
  },
];
