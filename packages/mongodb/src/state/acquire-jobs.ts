// Step 4 of the walk: due jobs are acquired. Each round reads the next candidates of all types in one
// command, in index order. One update acquires them: it checks each again, and writes the stamp of this
// call. The jobs with the stamp are acquired by this call alone. A round is repeated only when
// other workers were faster, and then further down the queue.
import {
  type AcquireJobsParams,
  type AcquireJobsResult,
  limits,
  type StateAdapter,
} from "queuert/internal";
import { expiredAttempt, leaseExpired } from "../attempts.ts";
import { compareCandidates, createCandidateFinder, readProbes } from "../acquire-candidates.ts";
import type { Database, Repeat } from "../database.ts";
import { afterNow, isDue, isExpired } from "../expressions.ts";
import { createStamp, type JobDocument, toStateJob } from "../job-document.ts";
import type { OpenTypes } from "../pauses.ts";
import { toStateSequence } from "../sequences.ts";
import { skipLocked } from "../skip-locked.ts";
import { outside } from "../store.ts";

type AcquireJobs = StateAdapter<object, object, string>["acquireJobs"];

const roundsMax = 6;

export const acquireJobs = (db: Database, repeat: Repeat): AcquireJobs => {
  const finder = createCandidateFinder(db);
  return async (params) => {
    const stamp = createStamp();
    const acquired: JobDocument[] = [];
    let open: OpenTypes = { types: params.types, resumesInMs: Infinity };
    const tried = new Set<string>();
    for (let round = 0; round < roundsMax && acquired.length < params.limit; round++) {
      const { ids, isExhausted, open: openNow } = await finder.find(params, acquired, tried);
      open = openNow;
      if (ids.length === 0) break;
      const won = await repeat(() => acquire(db, params, stamp, ids));
      acquired.push(...won);
      for (const id of ids) tried.add(id);
      finder.learn(ids.length, won.length);
      if (isExhausted && won.length === ids.length) break;
    }
    return toResult(db, params, open, acquired.sort(compareCandidates));
  };
};

// May be repeated: a job that an earlier attempt has acquired bears the stamp, and is left alone.
const acquire = async (
  db: Database,
  params: AcquireJobsParams,
  stamp: string,
  ids: readonly string[],
): Promise<JobDocument[]> => {
  const isFree = {
    // Not a job that this call has acquired, even if its lease is so short that it has expired.
    acquisition: { $ne: stamp },
    $or: [
      { status: "pending", ...isDue },
      { status: "running", ...isExpired },
    ],
  };
  const won: JobDocument[] = [];
  await skipLocked(db, ids, async (scope, some, options) => {
    const set = [{ $set: toLease(params, stamp) }];
    const [id, second] = some;
    if (id === undefined || second !== undefined || scope.session !== undefined) {
      await db.jobs.updateMany(scope, { _id: { $in: some }, ...isFree }, set, options);
      return;
    }
    // One job, as for an idle worker: written and read at once. Not in a transaction, which may fail
    // later. A repeated attempt finds the job acquired, and goes on to the read below.
    const job = await db.jobs.findOneAndUpdate(scope, { _id: id, ...isFree }, set, options);
    if (job !== null) won.push(job);
  });
  if (won.length > 0) return won;
  // Only running jobs: if this process was suspended, another may have reclaimed them, and the stamp stays.
  return db.jobs.find(outside, { _id: { $in: ids }, acquisition: stamp, status: "running" });
};

const toLease = ({ workerId, types }: AcquireJobsParams, stamp: string): object => {
  const leases = types.map(({ typeName, leaseMs }) => ({
    case: { $eq: ["$typeName", { $literal: typeName }] },
    // oxlint-disable-next-line unicorn/no-thenable -- the operator's own word
    then: afterNow(leaseMs),
  }));
  const leaseMs = types[0]?.leaseMs ?? 0;
  const isUniform = types.every((type) => type.leaseMs === leaseMs);
  const wasRunning = { $eq: ["$status", "running"] };
  return {
    status: "running",
    acquisition: stamp,
    leasedBy: { $literal: workerId },
    leasedUntil: isUniform ? afterNow(leaseMs) : { $switch: { branches: leases } },
    attempt: { $add: ["$attempt", 1] },
    leaseVersion: { $add: ["$leaseVersion", 1] },
    lastAttemptAt: "$$NOW",
    reclaimedFrom: { $cond: [wasRunning, "$leasedBy", "$$REMOVE"] },
    lastAttemptError: { $cond: [wasRunning, leaseExpired, "$lastAttemptError"] },
    attempts: { $cond: [wasRunning, expiredAttempt, "$attempts"] },
  };
};

const toResult = async (
  db: Database,
  params: AcquireJobsParams,
  open: OpenTypes,
  acquired: readonly JobDocument[],
): Promise<AcquireJobsResult> => {
  const blockerIds = acquired.flatMap(({ blockers }) => blockers ?? []);
  const sequences = await db.sequences.find(outside, blockerIds);
  const isFull = acquired.length >= params.limit;
  return {
    jobs: acquired.map((document) => ({
      job: toStateJob(document),
      blockers: (document.blockers ?? []).flatMap((id) => {
        const sequence = sequences.get(id);
        return sequence === undefined ? [] : [toStateSequence(sequence)];
      }),
      reclaimedFrom: document.reclaimedFrom ?? null,
    })),
    ...(isFull ? { nextDueInMs: 0 } : await readNextDue(db, open)),
  };
};

/**
 * Milliseconds until the next pending job of these types is due; 0 if one is due. A distinct scan of the
 * index: for each type and priority one key is read, its earliest. The server's time comes with it.
 */
const readNextDue = async (
  { jobs }: Database,
  { types, resumesInMs }: OpenTypes,
): Promise<Pick<AcquireJobsResult, "nextDueInMs" | "storeTime">> => {
  const probes = types.map(({ typeName }) => [
    { $match: { typeName, status: "pending" } },
    { $sort: { priority: -1, scheduledAt: 1 } },
    { $group: { _id: "$priority", at: { $first: "$scheduledAt" } } },
  ]);
  const earliest = [
    { $group: { _id: null, at: { $min: "$at" } } },
    { $project: { inMs: { $subtract: ["$at", "$$NOW"] }, now: "$$NOW" } },
  ];
  type NextDue = { readonly inMs: number; readonly now: Date };
  const found = types.length === 0 ? [] : await readProbes<NextDue>(jobs, probes, earliest);
  const [first] = found;
  const inMs = Math.min(resumesInMs, ...found.map((next) => next.inMs));
  if (inMs === Infinity) return { nextDueInMs: null };
  return {
    nextDueInMs: Math.max(0, Math.min(inMs, limits.timerMsMax)),
    ...(first !== undefined && { storeTime: first.now }),
  };
};
