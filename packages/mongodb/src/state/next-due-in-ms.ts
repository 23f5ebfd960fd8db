import { limits } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";

/**
 * Milliseconds until the next pending job of these types is due, 0 for one that is. A distinct scan of the claim index:
 * for each type and priority one key is read, its earliest.
 */
export const nextDueInMs = async (
  { jobs }: Database,
  types: readonly { readonly typeName: string }[],
): Promise<number | null> => {
  const probes = types.map(({ typeName }) => [
    { $match: { typeName, status: "pending" } },
    { $sort: { priority: -1, scheduledAt: 1 } },
    { $group: { _id: "$priority", at: { $first: "$scheduledAt" } } },
  ]);
  const [first, ...others] = probes;
  if (first === undefined) return null;
  const [next] = await jobs.aggregate<{ readonly inMs: number }>(
    outside,
    [
      ...first,
      ...others.map((pipeline) => ({ $unionWith: { coll: jobs.name, pipeline } })),
      { $group: { _id: null, at: { $min: "$at" } } },
      { $project: { inMs: { $subtract: ["$at", "$$NOW"] } } },
    ],
    { candidates: true },
  );
  return next === undefined ? null : Math.max(0, Math.min(next.inMs, limits.timerMsMax));
};
