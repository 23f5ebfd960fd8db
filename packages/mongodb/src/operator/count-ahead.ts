// Due jobs before a job, in the order of acquisition. Each part reads at most `max` entries of the index `due`, so scheduled jobs
// of a higher priority cost no more than that.
import type { JobsAhead, OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { isDue } from "../expressions.ts";
import type { JobDocument } from "../job-document.ts";
import { outside } from "../store.ts";

type Place = Pick<JobDocument, "typeName" | "priority" | "scheduledAt" | "ordinal">;

const placeFields = { typeName: 1, priority: 1, scheduledAt: 1, ordinal: 1 } as const;

export const countAhead =
  (db: Database): NonNullable<OperatorStore["countAhead"]> =>
  async ({ ids, max }) => {
    if (ids.length === 0) return [];
    const found = await db.jobs.find(
      outside,
      { _id: { $in: ids }, status: "pending" },
      { projection: placeFields },
    );
    const places = new Map(found.map((place) => [place._id, place]));
    const counts = new Map<string, JobsAhead>();
    for (const [id, place] of places) counts.set(id, await aheadOf(db, place, max));
    return ids.map((id) => counts.get(id));
  };

const aheadOf = async (db: Database, place: Place, max: number): Promise<JobsAhead> => {
  const [higher] = await db.jobs.aggregate<{ looked: number; due: number }>(
    outside,
    higherPipeline(place, max),
  );
  const [earlier] = await db.jobs.aggregate<{ count: number }>(
    outside,
    earlierPipeline(place, max),
  );
  const { looked, due } = higher ?? { looked: 0, due: 0 };
  const all = due + (earlier?.count ?? 0);
  const ahead = Math.min(all, max);
  return {
    ahead,
    higherPriority: Math.min(due, ahead),
    isAtLeast: looked > max || all > max,
  };
};

const higherPipeline = ({ typeName, priority }: Place, max: number): object[] => [
  { $match: { status: "pending", typeName, priority: { $gt: priority } } },
  { $limit: max + 1 },
  {
    $group: {
      _id: null,
      looked: { $sum: 1 },
      due: { $sum: { $cond: [{ $lte: ["$scheduledAt", "$$NOW"] }, 1, 0] } },
    },
  },
];

const earlierPipeline = (
  { typeName, priority, scheduledAt, ordinal }: Place,
  max: number,
): object[] => [
  {
    $match: {
      ...{ status: "pending", typeName, priority, ...isDue },
      $or: [{ scheduledAt: { $lt: scheduledAt } }, { scheduledAt, ordinal: { $lt: ordinal } }],
    },
  },
  { $limit: max + 1 },
  { $count: "count" },
];
