import type { RetryConfig } from "../model/backoff.ts";
import type { Job, RunningJob } from "../model/job.ts";
import type { CompletedJobSequence } from "../model/sequence.ts";
import type { JobAbortReason, TypedAbortSignal } from "./abort.ts";
import type { RetentionOptions } from "./maintain.ts";
import type { Completion, ProcessFunction } from "./process.ts";

export type { RetryConfig } from "../model/backoff.ts";

/** How long a claim on a job lasts, and how often it is renewed. */
export interface LeaseConfig {
  readonly leaseMs?: number;
  /** Shorter than `leaseMs`. */
  readonly renewIntervalMs?: number;
}

/** What a middleware is told about the attempt it wraps. */
export interface MiddlewareContext {
  readonly job: RunningJob<Job<string, string, unknown, readonly CompletedJobSequence[]>>;
  readonly signal: TypedAbortSignal<JobAbortReason>;
  readonly workerId: string;
  readonly attempt: number;
}

/** Wraps process functions: call `next` to go on, and return what it gave. */
export type WorkerMiddleware = (
  context: MiddlewareContext,
  next: () => Promise<Completion>,
) => Promise<Completion>;

// Not distributive, which would look at every defined name for each type that is implemented; and a
// type of its own, for where a conditional type names its checked type again the compiler
// intersects that with all that are implemented.
type IsImplemented<TTypeName, TImplemented> = [TTypeName] extends [TImplemented] ? true : false;

/** What `implementJobType` takes. */
export interface ImplementJobTypeOptions<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
  TImplemented extends string,
> {
  readonly typeName: IsImplemented<TTypeName, TImplemented> extends true
    ? `Error: this worker implements job type '${TTypeName}' already`
    : TTypeName;
  readonly process: ProcessFunction<TJobId, TDefinitions, TTxContext, TTypeName>;
  readonly retryConfig?: RetryConfig;
  readonly leaseConfig?: LeaseConfig;
  /** Aborts the signal after so long, and counts as a failed attempt. */
  readonly timeoutMs?: number;
  /** At most so many jobs of this type at a time in this worker. */
  readonly concurrency?: number;
  /** Around this type's process function, inside the worker's own middleware. */
  readonly middleware?: readonly WorkerMiddleware[];
}

/** What `start` takes; every option has a default. */
export interface StartWorkerOptions {
  readonly workerId?: string;
  readonly concurrency?: number;
  readonly pollIntervalMs?: number;
  readonly prefetch?: number;
  readonly reapIntervalMs?: number;
  /** How long running jobs have before their signal is aborted with `"shutdown"`; 5 s by default. */
  readonly shutdownGraceMs?: number;
  /** How long `stop` waits for running jobs in total; 8 s by default. */
  readonly shutdownTimeoutMs?: number;
  /**
   * By default `start` rejects if the store cannot be reached or has no tables. With `true` it resolves, and the worker
   * keeps trying.
   */
  readonly waitForStore?: boolean;
  /** Left out: finished jobs stay. With it the worker deletes what is old enough, at this interval. */
  readonly retention?: RetentionOptions & {
    /** One minute by default. */
    readonly intervalMs?: number;
  };
}

/** A worker at work. Call it, or its `stop`, to end it. */
export interface RunningWorker {
  (): Promise<void>;
  readonly workerId: string;
  stop(): Promise<void>;
}

/** Gathers what a worker does, before it is started; may be started several times. */
export interface WorkerBuilder<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TImplemented extends string = never,
> {
  /** Adds a middleware around all process functions; the first added is the outermost. */
  use(middleware: WorkerMiddleware): WorkerBuilder<TJobId, TDefinitions, TTxContext, TImplemented>;
  implementJobType<TTypeName extends keyof TDefinitions & string>(
    options: ImplementJobTypeOptions<TJobId, TDefinitions, TTxContext, TTypeName, TImplemented>,
  ): WorkerBuilder<TJobId, TDefinitions, TTxContext, TImplemented | TTypeName>;
  start(options?: StartWorkerOptions): Promise<RunningWorker>;
}
