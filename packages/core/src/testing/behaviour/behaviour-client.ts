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
import type { PayloadCodec } from "../../model/payload.ts";
import type { ScheduleOptions } from "../../model/schedule.ts";
import type { JobSequence } from "../../model/sequence.ts";
import type { OnBlockerFailure } from "../../model/state-job.ts";
import type { JobStatus } from "../../model/status.ts";
import { createConsoleLog } from "../../observe/console-log.ts";
import type { Log } from "../../observe/log.ts";
import type { PayloadsOptions } from "../../payloads/payloads-options.ts";
import type { AttemptLogsOptions } from "../../public-types/attempt-log.ts";
import type { ProcessFunction } from "../../public-types/process.ts";
import type {
  ImplementJobTypeOptions,
  RunningWorker,
  StartWorkerOptions,
  WorkerBuilder,
  WorkerMiddleware,
} from "../../public-types/worker.ts";
import { createQueuertWith } from "../../queuert.ts";
import type { LimitsOptions, Queuert, SchedulesOptions } from "../../queuert-types.ts";
import { eventually } from "../waiting.ts";
import { runAgainOnConflict } from "../run-again.ts";
import {
  type BehaviourDefinitions,
  behaviourJobTypes,
  type BehaviourTypeName,
} from "./definitions.ts";
import { createEventRecorder, type EventRecorder } from "./event-recorder.ts";
import { speedUp } from "./tracked-clock.ts";

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
  readonly id?: string;
  readonly deduplication?: DeduplicationOptions;
  readonly parent?: { readonly id: string; readonly sequenceId?: string } | undefined;
  readonly startBlockers?: (options: {
    readonly job: Job;
  }) => Promise<readonly { readonly id: string; readonly typeName: string }[]>;
  readonly onBlockerFailure?: OnBlockerFailure;
  readonly waitAtMostMs?: number;
}

export type StartedSequence = JobSequence & {
  readonly deduplicated: boolean;
  readonly replaced: boolean;
};

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
  readonly payloads?: PayloadsOptions;
  readonly attemptLogs?: AttemptLogsOptions;
  readonly schedules?: SchedulesOptions<BehaviourDefinitions>;
  readonly limits?: LimitsOptions<BehaviourDefinitions>;
  /** The client's clock, from that of this process. A clock that stands still lets nothing become old. */
  readonly toNow?: (now: number) => number;
  /** How far the client's clock is ahead of that of this process; behind, if below 0. */
  readonly clockAheadMs?: number;
  /** How many times as fast the client's clock runs, so that a case does not wait for a pause of the engine. */
  readonly clockTimes?: number;
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
    /** For all clients of the case. Null: as the case says. */
    readonly codec: PayloadCodec | null;
  },
  clock: Clock,
  track: (worker: RunningWorker) => void,
  options: OpenOptions = {},
): Promise<BehaviourClient> => {
  const events = createEventRecorder();
  const { clockTimes = 1, clockAheadMs = 0, toNow = (now: number) => now } = options;
  const own = clockTimes === 1 ? clock : speedUp(clock, clockTimes);
  const notifyAdapter =
    options.notifyAdapter === undefined ? pair.notifyAdapter : options.notifyAdapter;
  const queuert: BehaviourQueuert = await createQueuertWith(
    {
      stateAdapter: options.stateAdapter ?? pair.stateAdapter,
      notifyAdapter: notifyAdapter ?? undefined,
      ...withCodec(options, pair.codec),
      observabilityAdapter: options.observabilityAdapter ?? events.adapter,
      log: options.log ?? verbose(events.log),
      payloadBytesMax: options.payloadBytesMax,
      attemptLogs: options.attemptLogs,
      schedules: options.schedules,
      limits: options.limits,
    },
    {
      clock: { ...own, now: () => toNow(own.now() + clockAheadMs) },
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
        pollIntervalMs: pollIntervalMs * clockTimes,
        shutdownGraceMs: 50 * clockTimes,
        shutdownTimeoutMs: 2_000 * clockTimes,
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

/** The types of the cases are those of JSON. A codec leaves such values as they are. */
const withCodec = (
  { jobTypes = behaviourJobTypes, payloads }: OpenOptions,
  codec: PayloadCodec | null,
): { jobTypeDefinitions: JobTypes<BehaviourDefinitions>; payloads: PayloadsOptions | undefined } =>
  codec === null || payloads?.codec !== undefined
    ? { jobTypeDefinitions: jobTypes, payloads }
    : { jobTypeDefinitions: { ...jobTypes, isCoded: true }, payloads: { ...payloads, codec } };

/** With `DEBUG=1` in the environment, the log of a case is also printed. */
const verbose = (log: Log): Log => {
  if (process.env["DEBUG"] !== "1") return log;
  const print = createConsoleLog();
  return (event) => {
    print(event);
    return log(event);
  };
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
