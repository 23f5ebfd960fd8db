// The few steps that most cases share, over one adapter, in or outside a transaction. They only
// check their own preconditions. A case states its own expectations.
import type {
  AcquiredJob,
  CancelSequencesParams,
  CancelSequencesResult,
  CompletionResult,
  LeaseCheck,
  LeaseReference,
  NewContinuationJob,
  NewEntryJob,
  RescheduleResult,
} from "../adapters/state-adapter-params.ts";
import type { AnyStateAdapter, BaseStateAdapterContext } from "../adapters/state-adapter.ts";
import type { ScheduleOptions } from "../model/schedule.ts";
import type { StateJob, StateSequence } from "../model/state-job.ts";
import { aContinuation, aJob, minuteMs } from "./factories.ts";
import { eventually } from "./waiting.ts";

export interface AcquireOptions {
  readonly typeName?: string;
  readonly limit?: number;
  readonly leaseMs?: number;
  readonly workerId?: string;
}

export interface StateSteps {
  /** Stores entry jobs. */
  create(...newJobs: readonly Partial<NewEntryJob>[]): Promise<StateJob[]>;
  /** Stores one entry job. */
  createOne(newJob?: Partial<NewEntryJob>): Promise<StateJob>;
  /** Stores a job that waits for these sequences, named by their first job or their id. */
  createBlocked(
    blockers: readonly (StateJob | string)[],
    newJob?: Partial<NewEntryJob>,
    waitAtMostMs?: number,
  ): Promise<StateJob>;
  acquire(options?: AcquireOptions): Promise<readonly AcquiredJob[]>;
  /** Takes one job; fails if there is none. */
  acquireOne(options?: AcquireOptions): Promise<StateJob>;
  /** Stores a job and takes it: its type should be one that nothing else waits under. */
  createRunning(newJob?: Partial<NewEntryJob>, options?: AcquireOptions): Promise<StateJob>;
  /** Under the job's own lease. */
  complete(job: LeaseOf, output?: string, workerId?: string): Promise<CompletionResult>;
  /** Stores a job, takes it and completes it. */
  createCompleted(newJob?: Partial<NewEntryJob>, output?: string): Promise<StateJob>;
  createFailed(newJob?: Partial<NewEntryJob>, error?: string): Promise<StateJob>;
  /** Stores a job and cancels its sequence. */
  createCancelled(newJob?: Partial<NewEntryJob>): Promise<StateJob>;
  /** Completes without a worker. */
  completeWithoutWorker(job: { readonly id: string }, output?: string): Promise<CompletionResult>;
  /** Completes with the next job of the sequence; answers that job. */
  continueWith(job: StateJob, next?: Partial<NewContinuationJob>): Promise<StateJob>;
  fail(job: LeaseOf, error?: string): Promise<"failed" | "lost">;
  /** Cancels sequences, named by one of their jobs. Of their dependants none may wait, unless an option says otherwise. */
  cancel(
    jobs: readonly StateJob[],
    options?: Partial<CancelOptions>,
  ): Promise<CancelSequencesResult>;
  reschedule(job: LeaseOf, schedule?: ScheduleOptions | null): Promise<RescheduleResult>;
  renew(job: LeaseOf, leaseMs?: number): Promise<LeaseCheck>;
  get(job: { readonly id: string }): Promise<StateJob>;
  getSequence(id: string): Promise<StateSequence>;
  /** An id of the store's own making that no job has. */
  absentId(): Promise<string>;
  /** Waits until the store's clock is past an instant. */
  untilStoreTime(instant: Date): Promise<void>;
  /** Waits until the job's lease has expired by the store's clock. */
  untilExpired(job: { readonly id: string }): Promise<void>;
}

type CancelOptions = Pick<
  CancelSequencesParams<object>,
  "tree" | "dependants" | "reason" | "failed"
>;

interface LeaseOf {
  readonly id: string;
  readonly leaseVersion: number;
}

/** The one element that must be there. */
export const only = <T>(items: readonly T[]): T => {
  const [item] = items;
  if (item === undefined || items.length !== 1) {
    throw new Error(`Expected exactly one element, got ${items.length}`);
  }
  return item;
};

const referenceTo = (job: LeaseOf): LeaseReference => ({
  jobId: job.id,
  leaseVersion: job.leaseVersion,
});

const rollBack = new Error("rolled back on purpose");

const createJobSteps = (adapter: AnyStateAdapter, context: BaseStateAdapterContext | undefined) => {
  const inTransaction = <T>(run: (tx: BaseStateAdapterContext) => Promise<T>): Promise<T> =>
    context === undefined ? adapter.runInTransaction(run) : run(context);

  const create: StateSteps["create"] = async (...newJobs) => {
    const created = await adapter.createJobs({ context, jobs: newJobs.map((job) => aJob(job)) });
    return created.map(({ job }) => job);
  };
  const createBlocked: StateSteps["createBlocked"] = (blockers, newJob, waitAtMostMs) =>
    inTransaction(async (tx) => {
      const jobs = [aJob({ ...newJob, awaitsBlockers: true })];
      const { job } = only(await adapter.createJobs({ context: tx, jobs }));
      const blockerSequenceIds = blockers.map((each) =>
        typeof each === "string" ? each : each.sequenceId,
      );
      const added = await adapter.addBlockers({
        context: tx,
        jobs: [{ jobId: job.id, blockerSequenceIds, waitAtMostMs }],
      });
      return only(added).job;
    });
  return { create, createOne: async (newJob = {}) => only(await create(newJob)), createBlocked };
};

const createTakingSteps = (adapter: AnyStateAdapter) => {
  const acquire: StateSteps["acquire"] = async (options = {}) => {
    const { typeName = "task", limit = 1, leaseMs = minuteMs, workerId = "worker-1" } = options;
    const types = [{ typeName, leaseMs, limit }];
    return (await adapter.acquireJobs({ workerId, limit, types })).jobs;
  };
  const acquireOne: StateSteps["acquireOne"] = async (options) => only(await acquire(options)).job;
  const renew: StateSteps["renew"] = async (job, leaseMs = minuteMs) =>
    only(await adapter.renewLeases({ leases: [{ ...referenceTo(job), leaseMs }] }));
  return { acquire, acquireOne, renew };
};

const createSettlingSteps = (
  adapter: AnyStateAdapter,
  context: BaseStateAdapterContext | undefined,
) => {
  const complete: StateSteps["complete"] = async (
    job,
    output = '"done"',
    workerId = "worker-1",
  ) => {
    const outcome = { kind: "output", output } as const;
    const completions = [{ ...referenceTo(job), outcome }];
    return only((await adapter.completeJobs({ context, workerId, completions })).results);
  };
  const completeWithoutWorker: StateSteps["completeWithoutWorker"] = async (
    { id },
    output = '"done"',
  ) => {
    const outcome = { kind: "output", output } as const;
    const completions = [{ jobId: id, leaseVersion: null, outcome }];
    return only((await adapter.completeJobs({ context, workerId: null, completions })).results);
  };
  const continueWith: StateSteps["continueWith"] = async (job, next) => {
    const outcome = { kind: "continuation", job: aContinuation(job, next) } as const;
    const completions = [{ ...referenceTo(job), outcome }];
    const workerId = "worker-1";
    const result = only((await adapter.completeJobs({ context, workerId, completions })).results);
    if (result.kind !== "completed" || result.continuation === null) {
      throw new Error(`Expected a continuation, got ${JSON.stringify(result)}`);
    }
    return result.continuation;
  };
  const fail: StateSteps["fail"] = async (job, error = "boom") =>
    only((await adapter.failJobs({ context, jobs: [{ ...referenceTo(job), error }] })).results)
      .kind;
  const reschedule: StateSteps["reschedule"] = async (job, schedule = null) => {
    const jobs = [{ ...referenceTo(job), schedule, countsAttempt: true, error: null }];
    return only(await adapter.rescheduleJobs({ context, jobs }));
  };
  const cancel: StateSteps["cancel"] = (jobs, options) =>
    adapter.cancelSequences({
      ...{ context, tree: true, dependants: "refuse", reason: null },
      ...options,
      sequences: jobs.map(({ sequenceId }) => ({ id: sequenceId, lease: null })),
    });
  return { complete, completeWithoutWorker, continueWith, fail, cancel, reschedule };
};

const createLookingSteps = (
  adapter: AnyStateAdapter,
  context: BaseStateAdapterContext | undefined,
) => {
  const get: StateSteps["get"] = async ({ id }) => {
    const job = only(await adapter.getJobs({ context, ids: [id] }));
    if (job === undefined) throw new Error(`Job ${id} is not there`);
    return job;
  };
  const getSequence: StateSteps["getSequence"] = async (id) => {
    const sequence = only(await adapter.getSequences({ context, ids: [id] }));
    if (sequence === undefined) throw new Error(`Sequence ${id} is not there`);
    return sequence;
  };
  // A job that is created and rolled back: its id is of the right form, and its time is the store's.
  const probe = async (): Promise<StateJob> => {
    let probed: StateJob | undefined;
    const transaction = adapter.runInTransaction(async (tx) => {
      const jobs = [aJob({ typeName: "probe" })];
      probed = only(await adapter.createJobs({ context: tx, jobs })).job;
      throw rollBack;
    });
    await transaction.catch((error: unknown) => {
      if (error !== rollBack) throw error;
    });
    if (probed === undefined) throw new Error("The callback of runInTransaction was not run");
    return probed;
  };
  const untilStoreTime: StateSteps["untilStoreTime"] = async (instant) => {
    await eventually(
      async () => ((await probe()).createdAt > instant ? true : undefined),
      `the store's clock past ${instant.toISOString()}`,
    );
  };
  const untilExpired: StateSteps["untilExpired"] = async (job) => {
    const { leasedUntil } = await get(job);
    if (leasedUntil === null) throw new Error(`Job ${job.id} has no lease`);
    await untilStoreTime(leasedUntil);
  };
  const absentId = async (): Promise<string> => (await probe()).id;
  return { get, getSequence, absentId, untilStoreTime, untilExpired };
};

/** Moves over an adapter; with a context, those that can run in it do. */
export const createStateSteps = (
  adapter: AnyStateAdapter,
  context?: BaseStateAdapterContext,
): StateSteps => {
  const creating = createJobSteps(adapter, context);
  const taking = createTakingSteps(adapter);
  const settling = createSettlingSteps(adapter, context);
  const looking = createLookingSteps(adapter, context);
  const createRunning: StateSteps["createRunning"] = async (newJob = {}, options = {}) => {
    const { id, typeName } = await creating.createOne(newJob);
    const job = await taking.acquireOne({ typeName, ...options });
    if (job.id !== id) throw new Error(`Another job of type ${typeName} was due before`);
    return job;
  };
  const createCompleted: StateSteps["createCompleted"] = async (newJob, output) => {
    const job = await createRunning(newJob);
    await settling.complete(job, output);
    return looking.get(job);
  };
  const createFailed: StateSteps["createFailed"] = async (newJob, error) => {
    const job = await createRunning(newJob);
    await settling.fail(job, error);
    return looking.get(job);
  };
  const createCancelled: StateSteps["createCancelled"] = async (newJob) => {
    const job = await creating.createOne(newJob);
    await settling.cancel([job]);
    return looking.get(job);
  };
  return {
    ...creating,
    ...taking,
    ...settling,
    ...looking,
    createRunning,
    createCompleted,
    createFailed,
    createCancelled,
  };
};
