// Sequences are cancelled in one transaction. The trees and the waiting jobs are read in its snapshot, and the plan is
// written. A transaction that has written one of the jobs since is a conflict, and the call starts again. So is one that
// makes a job wait for a cancelled sequence: see `agreement/`.
import {
  type CancellationPlan,
  type CancelSequencesParams,
  type CancelSequencesResult,
  planCancellation,
  type StateAdapter,
  toCancelledJobs,
  type WaitingEdge,
} from "queuert/internal";
import { agreeToEnd } from "../agreement/waiter-handshake.ts";
import { cancelledAttempt } from "../attempts.ts";
import type { Database } from "../database.ts";
import { MongoTransactionAbortedError } from "../errors.ts";
import {
  createStamp,
  type JobDocument,
  leaseFields,
  referenceFields,
  rootSequenceIdOf,
  sequenceIdOf,
  toReference,
} from "../job-document.ts";
import { outside, type Scope } from "../store.ts";
import { toBlockerEdges } from "./list-blocker-edges.ts";
import { treeMembers } from "./list-filters.ts";
import { releaseContinuingJobs } from "./release-waiting-jobs.ts";

export const cancelSequences =
  (db: Database): StateAdapter<object, object, string>["cancelSequences"] =>
  async (params) => {
    const { context, sequences } = params;
    if (sequences.length === 0) {
      return { kind: "cancelled", results: [], jobs: [], dependants: [], unblocked: [] };
    }
    return db.transact(context, (scope) => cancel(db, scope, params));
  };

const cancel = async (
  db: Database,
  scope: Scope,
  params: CancelSequencesParams<object>,
): Promise<CancelSequencesResult> => {
  const rootIds = new Set<string>();
  let wanted: readonly string[] = params.sequences.map(({ id }) => id);
  for (;;) {
    for (const id of await readRoots(db, scope, wanted)) rootIds.add(id);
    const documents = await readTrees(db, scope, [...rootIds]);
    const waiting = await readWaiting(db, scope, documents.map(sequenceIdOf));
    const jobs = documents.map((document) => ({
      ...toReference(document),
      status: document.status,
      position: document.position,
      leaseVersion: document.leaseVersion,
    }));
    const plan = planCancellation({ jobs, waiting }, params);
    if (plan.kind === "blocking") return plan;
    if (plan.kind === "look") {
      wanted = plan.sequenceIds;
      continue;
    }
    await write(db, scope, plan, params.reason);
    const written = new Set([...plan.jobs, ...plan.dependants].map(({ id }) => id));
    // After the writes: a waiter that marks one of these jobs later conflicts with them.
    const awaited = documents.filter(({ _id, hasWaiters }) => hasWaiters && written.has(_id));
    const ended = awaited.map(sequenceIdOf);
    await agreeToEnd(db, scope, ended);
    const unblocked = await releaseContinuingJobs(db, scope, ended);
    return {
      kind: "cancelled",
      results: plan.results,
      jobs: toCancelledJobs(plan.jobs),
      dependants: plan.dependants,
      unblocked,
    };
  }
};

const readRoots = async (
  { jobs }: Database,
  scope: Scope,
  sequenceIds: readonly string[],
): Promise<readonly string[]> => {
  const filter = { _id: { $in: sequenceIds }, position: 0 };
  const firsts = await jobs.find(scope, filter, { projection: { rootSequenceId: 1 } });
  const seen = new Set(firsts.map(({ _id }) => _id));
  const unseen = sequenceIds.filter((id) => !seen.has(id));
  // A sequence that was committed after the snapshot exists: the transaction has to see it.
  const isLate = { ...filter, _id: { $in: unseen } };
  if (unseen.length > 0 && scope.session !== undefined) {
    const late = await jobs.find(outside, isLate, { projection: { _id: 1 }, limit: 1 });
    const isOwn = unseen.some((id) => jobs.isOwnWrite(scope, id));
    if (late.length > 0 && !isOwn) throw new MongoTransactionAbortedError("write_conflict");
  }
  return firsts.map(rootSequenceIdOf);
};

const readTrees = async (
  { jobs }: Database,
  scope: Scope,
  rootIds: readonly string[],
): Promise<readonly JobDocument[]> => {
  if (rootIds.length === 0) return [];
  const projection = {
    status: 1,
    position: 1,
    leaseVersion: 1,
    hasWaiters: 1,
    ordinal: 1,
  } as const;
  const found = await jobs.find(scope, treeMembers(rootIds), {
    projection: { ...referenceFields, ...projection },
  });
  return found.sort((a, b) => a.ordinal - b.ordinal);
};

const readWaiting = async (
  { jobs }: Database,
  scope: Scope,
  sequenceIds: readonly string[],
): Promise<readonly WaitingEdge[]> => {
  const awaited = new Set(sequenceIds);
  if (awaited.size === 0) return [];
  const waiting = await jobs.find(
    scope,
    { blockers: { $in: [...awaited] }, status: "blocked" },
    { projection: { sequenceId: 1, blockers: 1, ordinal: 1, onBlockerFailure: 1 } },
  );
  return waiting
    .sort((a, b) => a.ordinal - b.ordinal)
    .flatMap((job) => {
      const goesOn = job.onBlockerFailure === "continue";
      return toBlockerEdges(job).map((edge) => ({ ...edge, goesOn }));
    })
    .filter(({ blockerSequenceId }) => awaited.has(blockerSequenceId));
};

type WrittenPlan = Extract<CancellationPlan, { readonly kind: "cancel" }>;

const write = async (
  db: Database,
  scope: Scope,
  { jobs, dependants }: WrittenPlan,
  reason: string | null,
): Promise<void> => {
  const stamp = createStamp();
  const running = jobs.filter(({ status }) => status === "running");
  if (running.length > 0) {
    await db.jobs.updateMany(
      scope,
      { _id: { $in: running.map(({ id }) => id).sort() }, status: "running" },
      [{ $set: { attempts: cancelledAttempt } }],
    );
  }
  if (jobs.length > 0) {
    await db.jobs.updateMany(
      scope,
      { _id: { $in: jobs.map(({ id }) => id).sort() } },
      {
        $set: { status: "cancelled", stamp, ...(reason !== null && { output: reason }) },
        $currentDate: { finishedAt: true },
        $unset: { ...leaseFields, openBlockers: 1 },
      },
    );
  }
  if (dependants.length === 0) return;
  const sorted = [...dependants].sort((a, b) => (a.id < b.id ? -1 : 1));
  await db.jobs.bulkUpdate(
    scope,
    sorted.map(({ id, error }) => ({
      updateOne: {
        filter: { _id: id },
        update: {
          $set: { status: "failed", lastAttemptError: error, stamp },
          $currentDate: { finishedAt: true },
          $unset: leaseFields,
        },
      },
    })),
  );
};
