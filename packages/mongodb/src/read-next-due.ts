// The end of an acquisition that has found fewer jobs than it wanted: when there may be more.
import { type AcquireJobsResult, fullLimitLookMs, limits } from "queuert/internal";
import type { Database } from "./database.ts";
import { nextEndOfWait } from "./deadlines.ts";
import { anyPriority } from "./job-document.ts";
import { nextKeyLooks, type NextKeyLook } from "./limit-keys/next-look.ts";
import type { OpenTypes } from "./pauses.ts";
import { readProbes } from "./probes.ts";

type NextLook = Pick<AcquireJobsResult, "nextDueInMs" | "storeTime"> & {
  readonly isLimited: boolean;
};

/**
 * Milliseconds until the next pending job of these types is due, or the wait of a blocked one ends; 0 if that is now. A distinct scan of the
 * index: for each type and priority one key is read, its earliest. The server's time comes with it.
 */
export const readNextDue = async (
  db: Database,
  { types, resumesInMs }: OpenTypes,
  others: {
    /** Types of which the wait for blockers alone counts. */
    readonly batches: readonly string[];
    /** Types with jobs under keys. */
    readonly keyed: readonly string[];
  },
): Promise<NextLook> => {
  const looks = others.keyed.map((typeName) => nextKeyLooks(db, typeName));
  const waiting = [...types.map(({ typeName }) => typeName), ...others.batches];
  const probes = [
    ...types.map(({ typeName }): object[] => [
      { $match: { typeName, status: "pending", ...anyPriority } },
      { $sort: { priority: -1, scheduledAt: 1 } },
      { $group: { _id: "$priority", at: { $first: "$scheduledAt" } } },
    ]),
    ...looks.map(({ ofJobs }) => ofJobs),
    nextEndOfWait([...new Set([...waiting, ...others.keyed])]),
  ];
  const earliest = [
    ...looks.flatMap(({ ofKeys }) => ofKeys),
    { $group: { _id: null, at: { $min: "$at" }, keptBack: { $max: "$keptBack" } } },
    { $project: { inMs: { $subtract: ["$at", "$$NOW"] }, now: "$$NOW", keptBack: 1 } },
  ];
  type NextDue = Pick<NextKeyLook, "keptBack"> & {
    readonly inMs: number | null;
    readonly now: Date;
  };
  const isEmpty = waiting.length + looks.length === 0;
  const found = isEmpty ? [] : await readProbes<NextDue>(db.jobs, probes, earliest);
  const [first] = found;
  const isLimited = found.some(({ keptBack }) => (keptBack ?? null) !== null);
  const inMs = Math.min(
    resumesInMs,
    ...found.map((next) => next.inMs ?? Infinity),
    // Another process may end the attempt that fills the key.
    isLimited ? fullLimitLookMs : Infinity,
  );
  if (inMs === Infinity) return { nextDueInMs: null, isLimited };
  return {
    isLimited,
    nextDueInMs: Math.max(0, Math.min(inMs, limits.timerMsMax)),
    ...(first !== undefined && { storeTime: first.now }),
  };
};
