// A client as the cases use it: the public facade, and the few steps that most cases share. Steps
// query the store directly, so that a case does not wait by the means that it tests.
import type { NotifyAdapter } from "../../adapters/notify-adapter.ts";
import type { ObservabilityAdapter } from "../../adapters/observability-adapter.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { Clock } from "../../async/clock.ts";
import type { JobTypes } from "../../job-types/define-job-types.ts";
import type { JsonValue } from "../../job-types/json.ts";
import type { DeduplicationOptions } from "../../model/deduplication.ts";
import type { Job } from "../../model/job.ts";
import type { ScheduleOptions } from "../../model/schedule.ts";
import type { JobSequence } from "../../model/sequence.ts";
import type { OnBlockerFailure } from "../../model/state-job.ts";
import type { JobStatus } from "../../model/status.ts";
import { createConsoleLog } from "../../observe/console-log.ts";
import type { Log } from "../../observe/log.ts";
import type { ProcessFunction } from "../../public-types/process.ts";
import type {
  ImplementJobTypeOptions,
  RunningWorker,
  StartWorkerOptions,
  WorkerBuilder,
  WorkerMiddleware,
} from "../../public-types/worker.ts";
import { createQueuertWith } from "../../queuert.ts";
import type { Queuert, SchedulesOptions } from "../../queuert-types.ts";
import { eventually, sleep } from "../waiting.ts";
import {
  type BehaviourDefinitions,
  behaviourJobTypes,
  type BehaviourTypeName,
} from "./definitions.ts";
import { createEventRecorder, type EventRecorder } from "./event-recorder.ts";

export type BehaviourQueuert = Queuert<BehaviourDefinitions, AnyStateAdapter>;

type Implementation<TName extends BehaviourTypeName> = Omit<
  ImplementJobTypeOptions<string, BehaviourDefinitions, object, TName, never>,
  "typeName"
>;

/** Per type: its process function, or everything `implementJobType` takes. */
export type Processes = {
  readonly [TName in BehaviourTypeName]?:
    ProcessFunction<string, BehaviourDefinitions, object, TName> | Implementation<TName>;
};

export interface NewSequence {
  readonly input?: JsonValue;
  readonly schedule?: ScheduleOptions;
  readonly priority?: number;
  readonly deduplication?: DeduplicationOptions;
  readonly parent?: { readonly id: string; readonly sequenceId?: string } | undefined;
  readonly startBlockers?: (options: {
    readonly job: Job;
  }) => Promise<readonly { readonly id: string; readonly typeName: string }[]>;
  readonly onBlockerFailure?: OnBlockerFailure;
}

export type StartedSequence = JobSequence & { readonly deduplicated: boolean };

export interface WorkOptions extends StartWorkerOptions {
  readonly middleware?: readonly WorkerMiddleware[];
}

export interface OpenOptions {
  readonly stateAdapter?: AnyStateAdapter;
  /** Null: none is given to the client. */
  readonly notifyAdapter?: NotifyAdapter | null;
  readonly jobTypes?: JobTypes<BehaviourDefinitions>;
  readonly observabilityAdapter?: ObservabilityAdapter;
  readonly log?: Log;
  readonly random?: () => number;
  readonly payloadBytesMax?: number;
  readonly schedules?: SchedulesOptions<BehaviourDefinitions>;
  /** How far the client's clock is ahead of that of this process; behind, if below 0. */
  readonly clockAheadMs?: number;
}

export interface BehaviourClient {
  readonly queuert: BehaviourQueuert;
  readonly events: EventRecorder;
  /** In this transaction: `context` is the argument of its callback. */
  readonly startIn: (
    context: object,
    typeName: string,
    options?: NewSequence,
  ) => Promise<StartedSequence>;
  /** A transaction, run again where the store asks for it, as a user would. */
  readonly transact: BehaviourQueuert["transaction"];
  /** In a transaction of its own. */
  readonly start: (typeName: string, options?: NewSequence) => Promise<StartedSequence>;
  /** Starts a worker that is stopped after the case. It polls often, unless told otherwise. */
  readonly work: (processes: Processes, options?: WorkOptions) => Promise<RunningWorker>;
  readonly job: (job: { readonly id: string }) => Promise<Job>;
  readonly sequence: (sequence: { readonly id: string }) => Promise<JobSequence>;
  /** Resolves with the job once it has this status. */
  readonly untilJob: (job: { readonly id: string }, status: JobStatus) => Promise<Job>;
  /** Resolves with the sequence once it has this status: `"completed"` if left out. */
  readonly until: (sequence: { readonly id: string }, status?: JobStatus) => Promise<JobSequence>;
}

/** Often enough for cases that are not about polling. */
const pollIntervalMs = 25;

export const openBehaviourClient = async (
  pair: {
    readonly stateAdapter: AnyStateAdapter;
    readonly notifyAdapter: NotifyAdapter;
    readonly isTransactionConflict: (error: unknown) => boolean;
  },
  clock: Clock,
  track: (worker: RunningWorker) => void,
  options: OpenOptions = {},
): Promise<BehaviourClient> => {
  const events = createEventRecorder();
  const notifyAdapter =
    options.notifyAdapter === undefined ? pair.notifyAdapter : options.notifyAdapter;
  const queuert: BehaviourQueuert = await createQueuertWith(
    {
      stateAdapter: options.stateAdapter ?? pair.stateAdapter,
      notifyAdapter: notifyAdapter ?? undefined,
      jobTypeDefinitions: options.jobTypes ?? behaviourJobTypes,
      observabilityAdapter: options.observabilityAdapter ?? events.adapter,
      log: options.log ?? verbose(events.log),
      payloadBytesMax: options.payloadBytesMax,
      schedules: options.schedules,
    },
    {
      clock: { ...clock, now: () => clock.now() + (options.clockAheadMs ?? 0) },
      random: options.random,
    },
  );
  const startIn: BehaviourClient["startIn"] = (context, typeName, given = {}) => {
    const { input = null, ...others } = given;
    // The cases name types and options freely. Type tests cover the compiler's checks.
    const start = queuert.startJobSequence as unknown as (
      options: object,
    ) => Promise<StartedSequence>;
    return start({ ...context, typeName, input, ...others });
  };
  const transact: BehaviourClient["transact"] = (callback) =>
    runAgainOnConflict(() => queuert.transaction(callback), pair.isTransactionConflict);
  return {
    queuert,
    events,
    startIn,
    transact,
    start: (typeName, given) => transact((context) => startIn(context, typeName, given)),
    work: async (processes, given = {}) => {
      const { middleware = [], ...workerOptions } = given;
      const worker = await implementAll(queuert, processes, middleware).start({
        pollIntervalMs,
        shutdownGraceMs: 50,
        shutdownTimeoutMs: 2_000,
        // Many cases hold back or break the first acquisition.
        waitForStore: true,
        ...workerOptions,
      });
      track(worker);
      return worker;
    },
    ...createLooking(queuert),
  };
};

/** With `DEBUG=1` in the environment, the log of a case is also printed. */
const verbose = (log: Log): Log => {
  if (process.env["DEBUG"] !== "1") return log;
  const print = createConsoleLog();
  return (event) => {
    print(event);
    return log(event);
  };
};

const conflictRetryMs = 5;
const conflictRetriesMax = 200;

const runAgainOnConflict = async <T>(
  transact: () => Promise<T>,
  isTransactionConflict: (error: unknown) => boolean,
): Promise<T> => {
  for (let retries = 0; ; retries += 1) {
    try {
      return await transact();
    } catch (error) {
      if (!isTransactionConflict(error) || retries >= conflictRetriesMax) throw error;
      await sleep(conflictRetryMs);
    }
  }
};

const implementAll = (
  queuert: BehaviourQueuert,
  processes: Processes,
  middleware: readonly WorkerMiddleware[],
): WorkerBuilder<string, BehaviourDefinitions, object> => {
  let builder: WorkerBuilder<string, BehaviourDefinitions, object> = queuert.createWorker();
  for (const one of middleware) builder = builder.use(one);
  for (const [typeName, given] of Object.entries(processes)) {
    const options = typeof given === "function" ? { process: given } : given;
    // Each type's own options, by its own key; the union of them is more than the compiler can follow.
    const implement = builder.implementJobType as unknown as (options: object) => typeof builder;
    builder = implement({ typeName, ...options });
  }
  return builder;
};

const createLooking = (
  queuert: BehaviourQueuert,
): Pick<BehaviourClient, "job" | "sequence" | "untilJob" | "until"> => {
  const job: BehaviourClient["job"] = async ({ id }) => {
    const found = await queuert.getJob({ id });
    if (found === undefined) throw new Error(`Job ${id} is not there`);
    return found;
  };
  const sequence: BehaviourClient["sequence"] = async ({ id }) => {
    const found = await queuert.getJobSequence({ id });
    if (found === undefined) throw new Error(`Sequence ${id} is not there`);
    return found;
  };
  return {
    job,
    sequence,
    untilJob: ({ id }, status) =>
      eventually(async () => {
        const found = await job({ id });
        return found.status === status ? found : undefined;
      }, `job ${id} ${status}`),
    until: ({ id }, status = "completed") =>
      eventually(async () => {
        const found = await sequence({ id });
        return found.status === status ? found : undefined;
      }, `sequence ${id} ${status}`),
  };
};
