// The actions of a storm: one call of the contract each, over the same few keys, sequences and jobs.
import type { AcquiredJob, AnyStateAdapter, JobCompletion } from "queuert/internal";
import { aContinuation, aJob, aKey, oneOf, type Random } from "queuert/testing";

/** The keys, sequences and jobs that actions share, so that they meet. */
export interface Arena {
  readonly adapter: AnyStateAdapter;
  readonly random: Random;
  /** The latest sequences. */
  readonly sequenceIds: string[];
  /** Jobs that have a lease, or had one lately. */
  readonly held: AcquiredJob["job"][];
  /** Of jobs whose lease had expired: reclaimed, or taken over. */
  readonly expiredIds: Set<string>;
}

const rememberedMax = 40;

const remember = <T>(list: T[], ...items: readonly T[]): void => {
  list.push(...items);
  if (list.length > rememberedMax) list.splice(0, list.length - rememberedMax);
};

const some = <T>(list: readonly T[], max: number, random: Random): T[] =>
  list.length === 0
    ? []
    : Array.from({ length: 1 + Math.floor(random() * max) }, () => oneOf(list, random));

// Some leases are short, so that jobs are reclaimed and taken over while their holders settle, fail and renew them.
const leaseMs = [20, 60_000] as const;
const typeNames = ["task", "next"] as const;

const startByKey = async ({ adapter, random, sequenceIds }: Arena): Promise<void> => {
  const jobs = some(["a", "b", "c", "d", "e"], 4, random).map((key) =>
    aJob({ deduplication: aKey(key, { strategy: oneOf(["completed", "all"], random) }) }),
  );
  const created = await adapter.createJobs({ jobs });
  remember(sequenceIds, ...created.map(({ job }) => job.sequenceId));
};

const startWaiting = async ({ adapter, random, sequenceIds }: Arena): Promise<void> => {
  const onBlockerFailure = oneOf(["wait", "fail"] as const, random);
  const jobs = Array.from({ length: 3 }, () => aJob({ awaitsBlockers: true, onBlockerFailure }));
  const starting = adapter.runInTransaction(async (context) => {
    const created = await adapter.createJobs({ context, jobs });
    const added = await adapter.addBlockers({
      context,
      jobs: created.map(({ job }) => ({
        jobId: job.id,
        blockerSequenceIds: some(sequenceIds, 5, random),
      })),
    });
    if (added.some(({ missing }) => missing.length > 0)) throw new DeletedMeanwhile();
    return created.map(({ job }) => job.id);
  });
  try {
    remember(sequenceIds, ...(await starting));
  } catch (error) {
    if (!(error instanceof DeletedMeanwhile)) throw error;
  }
};

class DeletedMeanwhile extends Error {}

const take = async ({ adapter, random, held, expiredIds }: Arena): Promise<void> => {
  const limit = 1 + Math.floor(random() * 10);
  const types = typeNames.map((typeName) => {
    return { typeName, leaseMs: oneOf(leaseMs, random), limit: 10 };
  });
  const { jobs } = await adapter.acquireJobs({ workerId: "w", limit, types });
  remember(held, ...jobs.map(({ job }) => job));
  for (const { job, reclaimedFrom } of jobs) if (reclaimedFrom !== null) expiredIds.add(job.id);
};

const settle = async ({ adapter, random, held }: Arena): Promise<void> => {
  const jobs = [...new Set(some(held, 8, random))];
  const completions = jobs.map((job): JobCompletion => {
    const { id: jobId, leaseVersion } = job;
    const ends = job.position > 2 || random() < 0.6;
    const outcome = ends
      ? ({ kind: "output", output: "null" } as const)
      : ({ kind: "continuation", job: aContinuation(job) } as const);
    return { jobId, leaseVersion, outcome };
  });
  await adapter.completeJobs({ workerId: "w", completions });
};

const fail = async ({ adapter, random, held }: Arena): Promise<void> => {
  const jobs = [...new Set(some(held, 3, random))];
  await adapter.failJobs({
    jobs: jobs.map(({ id, leaseVersion }) => ({ jobId: id, leaseVersion, error: "failed" })),
  });
};

const reschedule = async ({ adapter, random, held }: Arena): Promise<void> => {
  const jobs = [...new Set(some(held, 5, random))];
  await adapter.rescheduleJobs({
    jobs: jobs.map(({ id, leaseVersion }) => ({
      jobId: id,
      leaseVersion,
      schedule: null,
      countsAttempt: true,
      error: null,
    })),
  });
};

const renew = async ({ adapter, random, held, expiredIds }: Arena): Promise<void> => {
  const leases = some(held, 10, random).map(({ id, leaseVersion }) => ({
    jobId: id,
    leaseVersion,
    leaseMs: oneOf(leaseMs, random),
  }));
  await adapter.renewLeases({ leases });
  for (const { id } of await adapter.reclaimExpiredLeases({ limit: 10 })) expiredIds.add(id);
};

const retryAndTrigger = async ({ adapter, random, sequenceIds }: Arena): Promise<void> => {
  await adapter.retryFailedJobs({ ids: [...new Set(some(sequenceIds, 10, random))] });
  await adapter.triggerJobs({ ids: [...new Set(some(sequenceIds, 10, random))] });
};

const completeWithoutWorker = async ({ adapter, random, sequenceIds }: Arena): Promise<void> => {
  const ids = [...new Set(some(sequenceIds, 4, random))];
  await adapter.completeJobs({ workerId: null, completions: withOutput(ids) });
};

const remove = async ({ adapter, random, sequenceIds }: Arena): Promise<void> => {
  const rootIds = [...new Set(some(sequenceIds, 3, random))];
  await adapter.runInTransaction((context) =>
    adapter.deleteSequences({ context, rootSequenceIds: rootIds }),
  );
};

const completeHeldStill = async ({ adapter, random, sequenceIds }: Arena): Promise<void> => {
  const ids = [...new Set(some(sequenceIds, 3, random))];
  await adapter.runInTransaction(async (context) => {
    const sequences = await adapter.lockSequences({ context, ids });
    const current = sequences.flatMap((sequence) => sequence?.current?.id ?? []);
    await adapter.completeJobs({ context, workerId: null, completions: withOutput(current) });
  });
};

const deleteFinished = async ({ adapter, random }: Arena): Promise<void> => {
  if (random() > 0.1) return;
  await adapter.deleteFinishedSequences({
    completedForMs: 200,
    failedForMs: null,
    cancelledForMs: null,
    limit: 20,
  });
};

const actions = [
  ...[startByKey, startByKey, startWaiting, startWaiting],
  ...[take, take, take, settle, settle, settle, settle],
  ...[fail, reschedule, renew, retryAndTrigger, completeWithoutWorker],
  ...[completeHeldStill, remove, deleteFinished],
];

/** One action by chance. */
export const act = (arena: Arena): Promise<void> => oneOf(actions, arena.random)(arena);

/** Completes everything that can still be completed. */
export const finishAll = async ({ adapter }: Arena, heldIds: readonly string[]): Promise<void> => {
  // Their workers are gone.
  await adapter.completeJobs({ workerId: null, completions: withOutput(heldIds) });
  for (;;) {
    const { jobs } = await adapter.acquireJobs({ workerId: "w", limit: 500, types: wide });
    if (jobs.length === 0) return;
    await adapter.completeJobs({
      workerId: null,
      completions: withOutput(jobs.map(({ job }) => job.id)),
    });
  }
};

const wide = typeNames.map((typeName) => ({ typeName, leaseMs: 60_000, limit: 500 }));

const withOutput = (ids: readonly string[]): JobCompletion[] =>
  ids.map((jobId) => ({
    jobId,
    leaseVersion: null,
    outcome: { kind: "output", output: "null" },
  }));
