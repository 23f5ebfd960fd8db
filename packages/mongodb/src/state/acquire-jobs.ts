// Step 4 of the walk: due jobs are taken. Each round reads the next candidates of all types in one command, in index
// order, and takes them with one update that checks each again and marks it with a token of this call; what bears the
// token is ours, whoever else tried. A round is repeated only when others were faster, and then further down the queue.
import type { AcquireJobsParams, AcquireJobsResult, StateAdapter } from "queuert/internal";
import type { Database, Repeat } from "../database.ts";
import { afterNow, isDue, isExpired } from "../instants.ts";
import { type JobDocument, toStateJob } from "../job-document.ts";
import { findSequences, type SequenceDocuments, toStateSequence } from "../sequences.ts";
import { skipLocked } from "../skip-locked.ts";
import { outside } from "../store.ts";
import { createToken } from "../token.ts";
import { compareCandidates, createCandidateFinder } from "./acquire-candidates.ts";
import { nextDueInMs } from "./next-due-in-ms.ts";

type AcquireJobs = StateAdapter<object, object, string>["acquireJobs"];

const roundsMax = 6;

export const createAcquireJobs = (db: Database, repeat: Repeat): AcquireJobs => {
  const finder = createCandidateFinder(db);
  return async (params) => {
    const claim = createToken();
    const taken: JobDocument[] = [];
    const passedBy = new Set<string>();
    for (let round = 0; round < roundsMax && taken.length < params.limit; round++) {
      const { ids, isExhausted } = await finder.find(params, taken, passedBy);
      if (ids.length === 0) break;
      const won = await repeat(() => take(db, params, claim, ids));
      taken.push(...won);
      for (const id of ids) passedBy.add(id);
      finder.learn(ids.length, won.length);
      if (isExhausted && won.length === ids.length) break;
    }
    return toResult(db, params, taken.sort(compareCandidates));
  };
};

// May be repeated: what a try has taken bears the claim, and the next leaves it alone.
const take = async (
  db: Database,
  params: AcquireJobsParams,
  claim: string,
  ids: readonly string[],
): Promise<JobDocument[]> => {
  const isFree = {
    // Not what this call has taken before, though the lease be so short that it has expired.
    claim: { $ne: claim },
    $or: [
      { status: "pending", ...isDue },
      { status: "running", ...isExpired },
    ],
  };
  const won: JobDocument[] = [];
  await skipLocked(db, ids, async (scope, some, options) => {
    const set = [{ $set: toLease(params, claim) }];
    const [id, second] = some;
    if (id === undefined || second !== undefined || scope.session !== undefined) {
      await db.jobs.updateMany(scope, { _id: { $in: some }, ...isFree }, set, options);
      return;
    }
    // A single job, as an idle worker takes it: written and read at once. Not in a transaction, which may still fail; and a
    // repeated try finds it taken, and reads on.
    const job = await db.jobs.findOneAndUpdate(scope, { _id: id, ...isFree }, set, options);
    if (job !== null) won.push(job);
  });
  if (won.length > 0) return won;
  // Running still: a caller that stood still meanwhile may have lost to the reaper what it had taken, and the claim stays.
  return db.jobs.find(outside, { _id: { $in: ids }, claim, status: "running" });
};

/** What an acquisition writes, as expressions. */
const toLease = ({ workerId, types }: AcquireJobsParams, claim: string): object => {
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
    claim,
    leasedBy: { $literal: workerId },
    leasedUntil: isUniform ? afterNow(leaseMs) : { $switch: { branches: leases } },
    attempt: { $add: ["$attempt", 1] },
    leaseVersion: { $add: ["$leaseVersion", 1] },
    lastAttemptAt: "$$NOW",
    reclaimedFrom: { $cond: [wasRunning, "$leasedBy", "$$REMOVE"] },
    lastAttemptError: { $cond: [wasRunning, leaseExpiredError, "$lastAttemptError"] },
  };
};

/** The error of an attempt whose worker was not heard of again. */
export const leaseExpiredError = {
  $concat: ["The lease of worker ", { $ifNull: ["$leasedBy", "?"] }, " expired"],
} as const;

const toResult = async (
  db: Database,
  params: AcquireJobsParams,
  taken: readonly JobDocument[],
): Promise<AcquireJobsResult> => {
  const sequences = await findSequences(
    db,
    outside,
    taken.flatMap(({ blockers }) => blockers ?? []),
  );
  const isFull = taken.length >= params.limit;
  return {
    jobs: taken.map((document) => ({
      job: toStateJob(document),
      blockers: (document.blockers ?? []).flatMap((id) => present(sequences.get(id))),
      reclaimedFrom: document.reclaimedFrom ?? null,
    })),
    nextDueInMs: isFull ? 0 : await nextDueInMs(db, params.types),
  };
};

const present = (
  sequence: SequenceDocuments | undefined,
): readonly ReturnType<typeof toStateSequence>[] =>
  sequence === undefined ? [] : [toStateSequence(sequence)];
