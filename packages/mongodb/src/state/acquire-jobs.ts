// Step 4 of the walk: due jobs are acquired. Each round reads the next candidates of all types in one
// command, in index order. One update acquires them: it checks each again, and writes the stamp of this
// call. The jobs with the stamp are acquired by this call alone. A round is repeated only when
// other workers were faster, and then further down the queue.
import {
  type AcquireJobsParams,
  type AcquireJobsResult,
  type StateAdapter,
} from "queuert/internal";
import { expiredAttempt, leaseExpired } from "../attempts.ts";
import { acquireUnderLimits, type HeldTypes, type LimitsLook } from "../acquire-under-limits.ts";
import { compareCandidates, createCandidateFinder } from "../acquire-candidates.ts";
import type { Database, Repeat } from "../database.ts";
import {
  afterNow,
  createStamp,
  isDue,
  isExpired,
  type JobDocument,
  toStateJob,
  withoutKey,
} from "../job-document.ts";

import type { OpenTypes } from "../pauses.ts";
import { readNextDue } from "../read-next-due.ts";
import { toStateSequence } from "../sequences.ts";
import { skipLocked } from "../skip-locked.ts";
import { outside } from "../store.ts";

type AcquireJobs = StateAdapter<object, object, string>["acquireJobs"];

const roundsMax = 6;

export const acquireJobs = (db: Database, repeat: Repeat): AcquireJobs => {
  const finder = createCandidateFinder(db);
  // Without room for both, jobs of types without limits and the others alternate.
  let othersAreFirst = false;
  return async (params) => {
    const stamp = createStamp();
    const acquired: JobDocument[] = [];
    let open: OpenTypes = { types: params.types, resumesInMs: Infinity, hasPauses: false };
    let held: HeldTypes = { limited: [], keyed: [], hasPauses: false };
    const tried = new Set<string>();
    /** Acquires jobs without limits and keys up to a number in all. Returns whether there may be more. */
    const acquireFree = async (limit: number, isFirst: boolean): Promise<boolean> => {
      let most = limit;
      for (let round = 0; round < roundsMax && acquired.length < most; round++) {
        const found = await finder.find({ ...params, limit }, acquired, tried);
        ({ open } = found);
        const { limited, keyed, isExhausted } = found;
        if (isFirst && round === 0) {
          held = { limited, keyed, hasPauses: open.hasPauses };
          othersAreFirst = !othersAreFirst;
          most = shareOf(limit, [open.types.length, limited.length + keyed.length], othersAreFirst);
        }
        const ids = found.ids.slice(0, most - acquired.length);
        if (ids.length === 0) return found.ids.length > 0;
        const won = await repeat(() => acquire(db, params, stamp, ids));
        acquired.push(...won);
        for (const id of ids) tried.add(id);
        finder.learn(ids.length, won.length);
        if (isExhausted && won.length === ids.length) return ids.length < found.ids.length;
      }
      return acquired.length >= most;
    };
    const hasMore = await acquireFree(params.limit, true);
    const lease = { stamp, update: toLease(params, stamp) };
    const limits = await acquireUnderLimits(db, params, held, acquired, lease);
    const isShared = held.limited.length + held.keyed.length > 0;
    if (isShared && hasMore) await acquireFree(params.limit, false);
    const looks = { open, limits, keyed: held.keyed.map(({ typeName }) => typeName) };
    return toResult(db, params, looks, acquired.sort(compareCandidates));
  };
};

/** The share of the types that are acquired together, when others are acquired one by one. */
const shareOf = (
  limit: number,
  [free, others]: readonly [number, number],
  othersAreFirst: boolean,
): number => {
  if (others === 0 || free === 0) return limit;
  const share = (limit * free) / (free + others);
  return othersAreFirst ? Math.floor(share) : Math.ceil(share);
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
    // Not one that was moved to a key since it was read.
    ...withoutKey,
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

/** When there may be more jobs, as far as it was decided. */
interface Looks {
  readonly open: OpenTypes;
  readonly limits: LimitsLook;
  readonly keyed: readonly string[];
}

const toResult = async (
  db: Database,
  params: AcquireJobsParams,
  { open, limits: look, keyed }: Looks,
  acquired: readonly JobDocument[],
): Promise<AcquireJobsResult> => {
  const blockerIds = acquired.flatMap(({ blockers }) => blockers ?? []);
  const sequences = await db.sequences.find(outside, blockerIds);
  const isFull = acquired.length >= params.limit;
  const { isLimited, ...next } = isFull
    ? { nextDueInMs: 0, isLimited: false }
    : await readNextDue(
        db,
        {
          ...open,
          types: [...open.types, ...look.free],
          resumesInMs: Math.min(open.resumesInMs, look.lookInMs),
        },
        { batches: look.batches, keyed },
      );
  return {
    jobs: acquired.map((document) => ({
      job: toStateJob(document),
      blockers: (document.blockers ?? []).flatMap((id) => {
        const sequence = sequences.get(id);
        return sequence === undefined ? [] : [toStateSequence(sequence)];
      }),
      reclaimedFrom: document.reclaimedFrom ?? null,
    })),
    isLimited: look.isLimited || isLimited,
    ...next,
  };
};
