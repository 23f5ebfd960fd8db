// Random operations on a store, the same for the same seed and the same store, since they choose
// from the lists of the store. They reach every method that can be part of a transaction. With
// `context: null` they reach the others too.
import type { InProcessContext } from "../../src/in-process/database.ts";
import type { NewEntryJob } from "../../src/adapters/state-adapter-params.ts";
import type { StateJob } from "../../src/model/state-job.ts";
import { aContinuation, aJob } from "../../src/testing/factories.ts";
import type { TestStore } from "./a-store.ts";

export interface Dice {
  /** From 0 to below `end`. */
  below(end: number): number;
  pick<T>(items: readonly T[]): T | undefined;
  chance(probability: number): boolean;
}

type Operation = (
  store: TestStore,
  dice: Dice,
  context: InProcessContext | undefined,
) => Promise<unknown>;

const everything = {
  typeNames: null,
  sequenceId: null,
  rootSequenceId: null,
  createdFrom: null,
  createdTo: null,
  order: "asc",
  limit: 1_000,
  afterOrdinal: null,
} as const;

const jobsIn = (
  { state }: TestStore,
  context: InProcessContext | undefined,
  ...statuses: readonly StateJob["status"][]
): Promise<readonly StateJob[]> =>
  state.listJobs({ ...everything, context, statuses: statuses.length === 0 ? null : statuses });

const rootOf = async (
  store: TestStore,
  dice: Dice,
  context: InProcessContext | undefined,
): Promise<Partial<NewEntryJob>> => {
  const parent = dice.chance(0.3) ? dice.pick(await jobsIn(store, context)) : undefined;
  return parent === undefined ? {} : { rootSequenceId: parent.rootSequenceId, originId: parent.id };
};

const create: Operation = async (store, dice, context) => {
  const jobs: NewEntryJob[] = [];
  for (let count = 1 + dice.below(4); count > 0; count--) {
    jobs.push(
      aJob({
        typeName: dice.pick(["a", "b"]) ?? "a",
        priority: dice.below(3),
        schedule: dice.chance(0.3) ? { afterMs: dice.below(5_000) } : null,
        onBlockerFailure: dice.pick(["fail", "wait", "continue"]) ?? "wait",
        deduplication: dice.chance(0.3)
          ? {
              key: `key-${dice.below(3)}`,
              strategy: dice.chance(0.5) ? "all" : "completed",
              windowMs: dice.chance(0.5) ? 2_000 : null,
            }
          : null,
        ...(await rootOf(store, dice, context)),
      }),
    );
  }
  return store.state.createJobs({ context, jobs });
};

/** Only within a transaction: a blocked job that never gets its blockers would wait for ever. */
const createBlocked: Operation = async (store, dice, context) => {
  if (context === undefined) return null;
  const sequences = (await jobsIn(store, context)).filter((job) => job.position === 0);
  const [created] = await store.state.createJobs({
    context,
    jobs: [
      aJob({
        typeName: "a",
        awaitsBlockers: true,
        onBlockerFailure: dice.pick(["fail", "wait", "continue"]) ?? "wait",
        ...(await rootOf(store, dice, context)),
      }),
    ],
  });
  if (created === undefined) return null;
  const blockerSequenceIds = Array.from(
    { length: 1 + dice.below(3) },
    () => dice.pick(sequences)?.id ?? created.job.id,
  );
  return store.state.addBlockers({
    context,
    jobs: [{ jobId: created.job.id, blockerSequenceIds }],
  });
};

const complete: Operation = async (store, dice, context) => {
  const running = await jobsIn(store, context, "running");
  const job = dice.chance(0.8) ? dice.pick(running) : dice.pick(await jobsIn(store, context));
  if (job === undefined) return null;
  return store.state.completeJobs({
    context,
    workerId: "worker",
    completions: [
      {
        jobId: job.id,
        leaseVersion: job.status === "running" || dice.chance(0.3) ? job.leaseVersion : null,
        outcome:
          dice.chance(0.3) && job.status !== "completed" && job.status !== "failed"
            ? {
                kind: "continuation",
                job: aContinuation(job, { typeName: "b" }),
              }
            : { kind: "output", output: `"${dice.below(100)}"` },
      },
    ],
  });
};

const fail: Operation = async (store, dice, context) => {
  const job = dice.pick(await jobsIn(store, context, "running"));
  if (job === undefined) return null;
  const jobs = [{ jobId: job.id, leaseVersion: job.leaseVersion, error: "failed" }];
  return store.state.failJobs({ context, jobs });
};

const reschedule: Operation = async (store, dice, context) => {
  const job = dice.pick(await jobsIn(store, context, "running"));
  if (job === undefined) return null;
  const schedule = dice.chance(0.5) ? { afterMs: dice.below(3_000) } : null;
  return store.state.rescheduleJobs({
    context,
    jobs: [
      {
        jobId: job.id,
        leaseVersion: job.leaseVersion,
        schedule,
        countsAttempt: dice.chance(0.5),
        error: dice.chance(0.5) ? "again" : null,
      },
    ],
  });
};

const retry: Operation = async (store, dice, context) => {
  const failed = await jobsIn(store, context, "failed");
  return store.state.retryFailedJobs({
    context,
    ids: failed.slice(dice.below(3)).map(({ id }) => id),
  });
};

const trigger: Operation = async (store, dice, context) => {
  const job = dice.pick(await jobsIn(store, context));
  return store.state.triggerJobs({ context, ids: job === undefined ? [] : [job.id] });
};

const remove: Operation = async (store, dice, context) => {
  if (context === undefined) return null;
  const roots = (await jobsIn(store, context)).filter((job) => job.id === job.rootSequenceId);
  const rootSequenceIds = [dice.pick(roots), dice.pick(roots)].map((job) => job?.id ?? "none");
  return store.state.deleteSequences({ context, rootSequenceIds });
};

const acquire: Operation = async ({ state }, dice, context) =>
  context === undefined &&
  state.acquireJobs({
    workerId: "worker",
    limit: 1 + dice.below(4),
    types: ["a", "b", "next"].map((typeName) => ({ typeName, leaseMs: 1_500, limit: 3 })),
  });

const renew: Operation = async (store, dice, context) => {
  if (context !== undefined) return null;
  const running = await jobsIn(store, context, "running");
  const leases = running
    .filter(() => dice.chance(0.5))
    .map(({ id, leaseVersion }) => ({ jobId: id, leaseVersion, leaseMs: 2_000 }));
  return store.state.renewLeases({ leases });
};

const reclaim: Operation = async ({ state }, dice, context) =>
  context === undefined && state.reclaimExpiredLeases({ limit: 1 + dice.below(3) });

const deleteFinished: Operation = async ({ state }, dice, context) =>
  context === undefined &&
  state.deleteFinishedSequences({
    completedForMs: dice.chance(0.8) ? 4_000 : null,
    failedForMs: dice.chance(0.5) ? 4_000 : null,
    cancelledForMs: dice.chance(0.5) ? 4_000 : null,
    limit: 1_000,
  });

const operations: readonly Operation[] = [
  create,
  create,
  createBlocked,
  createBlocked,
  complete,
  complete,
  complete,
  fail,
  reschedule,
  retry,
  trigger,
  remove,
  acquire,
  acquire,
  acquire,
  renew,
  reclaim,
  deleteFinished,
];

/** One operation, picked by the dice. */
export const randomOperation: Operation = async (store, dice, context) => {
  const operation = dice.pick(operations) ?? create;
  return operation(store, dice, context);
};

/** Everything that can be asked of a store. */
export const dump = async (
  { state }: TestStore,
  context?: InProcessContext,
): Promise<Readonly<Record<string, unknown>>> => {
  const jobs = await state.listJobs({ ...everything, context, statuses: null });
  const ids = jobs.map(({ id }) => id);
  return {
    jobs,
    byId: await state.getJobs({ context, ids }),
    sequences: await state.listSequences({ ...everything, context, statuses: null }),
    bySequenceId: await state.getSequences({ context, ids }),
    blockers: await state.getBlockers({ context, ids }),
    // One by one: an edge has to be found from either end.
    edges: await Promise.all(ids.map((id) => state.listBlockerEdges({ context, ids: [id] }))),
    summary: await state.summarize({ context, runningLongMs: 1_000 }),
    trees: await Promise.all(
      [...new Set(jobs.map(({ rootSequenceId }) => rootSequenceId))].map((rootSequenceId) =>
        state.listJobs({ ...everything, context, statuses: null, rootSequenceId, order: "desc" }),
      ),
    ),
    chains: await Promise.all(
      ids.map((sequenceId) =>
        state.listJobs({ ...everything, context, statuses: null, sequenceId }),
      ),
    ),
  };
};
