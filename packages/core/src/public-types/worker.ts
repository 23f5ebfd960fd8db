import type { SignalNames } from "../job-types/references.ts";
import type { RetryConfig } from "../model/backoff.ts";
import type { Job, RunningJob } from "../model/job.ts";
import type { EndedJobSequence } from "../model/sequence.ts";
import type { JobAbortReason, TypedAbortSignal } from "./abort.ts";
import type { ImplementJobTypeBatchOptions } from "./batch.ts";
import type { DrainOptions, ProcessOnceOptions, ProcessOnceResult } from "./process-once.ts";
import type { RetentionOptions } from "./retention.ts";
import type { Completion, ProcessFunction } from "./process.ts";

export type { RetryConfig } from "../model/backoff.ts";

/** How long the lease on a job lasts, and how often it is renewed. */
export interface LeaseConfig {
  /** After this time without a renewal another worker may acquire the job. Default 30000. */
  readonly leaseMs?: number | undefined;
  /** Shorter than `leaseMs`. Default: a third of it. */
  readonly renewIntervalMs?: number | undefined;
}

/** The attempt that a middleware wraps. */
export interface MiddlewareContext {
  readonly job: RunningJob<Job<string, string, unknown, readonly (EndedJobSequence | null)[]>>;
  readonly signal: TypedAbortSignal<JobAbortReason>;
  readonly workerId: string;
  readonly attempt: number;
}

/** Wraps process functions: call `next` to go on, and return its result. */
export type WorkerMiddleware = (
  context: MiddlewareContext,
  next: () => Promise<Completion>,
) => Promise<Completion>;

/** The `prepare` or `complete` that a middleware wraps, and its transaction. */
export type TransactionMiddlewareContext<TTxContext> = MiddlewareContext & {
  /** The context of the transaction. Undefined for a completion by value. */
  readonly transaction: TTxContext | undefined;
};

/** Wraps the callback of `prepare` or `complete`, inside its transaction. It must call `next`. */
export type TransactionMiddleware<TTxContext> = (
  context: TransactionMiddlewareContext<TTxContext>,
  next: () => Promise<void>,
) => Promise<void>;

/** A middleware for several places at once: for each of them it is called as if it were the only one. */
export interface WorkerMiddlewareParts<TTxContext> {
  /** Around the process function. Default: nothing. */
  readonly process?: WorkerMiddleware | undefined;
  /** Around the callback of `prepare`, in its transaction. Default: nothing. */
  readonly prepare?: TransactionMiddleware<TTxContext> | undefined;
  /** Around the callback of `complete`, in its transaction, and around a completion by value. Default: nothing. */
  readonly complete?: TransactionMiddleware<TTxContext> | undefined;
}

/** A middleware: around the process function alone, or also around `prepare` and `complete`. */
export type AnyWorkerMiddleware<TTxContext> = WorkerMiddleware | WorkerMiddlewareParts<TTxContext>;

/** Whether a worker implements a type. */
// Not distributive, which would check every defined name for each type that is implemented. A type of
// its own: where a conditional type names its checked type again, the compiler intersects that type
// with all implemented types.
export type IsImplemented<TTypeName, TImplemented> = [TTypeName] extends [TImplemented]
  ? true
  : false;

/** The name of a job type that the worker can implement, or a text that says why it cannot. */
export type ImplementableTypeName<
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
  TImplemented extends string,
> =
  IsImplemented<TTypeName, TImplemented> extends true
    ? `Error: this worker implements job type '${TTypeName}' already`
    : [TTypeName] extends [SignalNames<TDefinitions>]
      ? `Error: job type '${TTypeName}' is a signal, which no worker implements`
      : TTypeName;

/** The options of a job type, with one job or several in a call. */
export interface HandlerOptions<TTxContext> {
  /** When and how often a failed attempt is repeated. Default: 25 attempts, 1 s doubling to 1 h, with jitter. */
  readonly retryConfig?: RetryConfig | undefined;
  /** Default: a lease of 30 s, renewed every 10 s. */
  readonly leaseConfig?: LeaseConfig | undefined;
  /** After this time the signal is aborted, and the attempt counts as failed. Default: no timeout. */
  readonly timeoutMs?: number | undefined;
  /** The most calls for this type at a time in this worker. Default: the concurrency of the worker. */
  readonly concurrency?: number | undefined;
  /** Runs around this type's process function, inside the worker's own middleware. Default: none. */
  readonly middleware?: readonly AnyWorkerMiddleware<TTxContext>[] | undefined;
}

/** The options of `implementJobType`. */
export interface ImplementJobTypeOptions<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
  TImplemented extends string,
> extends HandlerOptions<TTxContext> {
  /** The job type, which this worker does not implement yet. */
  readonly typeName: ImplementableTypeName<TDefinitions, TTypeName, TImplemented>;
  /** Does the work of one job, and returns the result of `complete`. */
  readonly process: ProcessFunction<TJobId, TDefinitions, TTxContext, TTypeName>;
}

/** The options of `start`. Each has a default. */
export interface StartWorkerOptions {
  /** Names the worker in jobs, events and logs. Default: host, process id and a random part. */
  readonly workerId?: string | undefined;
  /** The most jobs at a time. Default 10. */
  readonly concurrency?: number | undefined;
  /** How often an idle worker queries the store. Default 1000; 10000 with a notify adapter. */
  readonly pollIntervalMs?: number | undefined;
  /** The most jobs that are acquired before a slot is free. Long jobs are not. Default 500. */
  readonly prefetch?: number | undefined;
  /** How often a worker without free slots reclaims expired leases. Default 5000. */
  readonly reapIntervalMs?: number | undefined;
  /** How long running jobs have before their signal is aborted with `"shutdown"`. Default 5000. */
  readonly shutdownGraceMs?: number | undefined;
  /** How long `stop` waits for running jobs in total. Default 8000. */
  readonly shutdownTimeoutMs?: number | undefined;
  /**
   * Default, `false`: `start` rejects if the store cannot be reached or has no tables. With `true` it resolves, and the
   * worker keeps trying.
   */
  readonly waitForStore?: boolean | undefined;
  /** The worker deletes finished trees of these ages. Default: finished jobs are kept. */
  readonly retention?:
    | (RetentionOptions & {
        /** How often the worker deletes such trees. Default 60000. */
        readonly intervalMs?: number | undefined;
      })
    | undefined;
}

/** A running worker. Call it, or its `stop`, to stop it. */
export interface RunningWorker {
  (): Promise<void>;
  readonly workerId: string;
  stop(): Promise<void>;
}

/** The job types and middleware of a worker, before its start. It may be started several times. */
export interface WorkerBuilder<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TImplemented extends string = never,
> {
  /** Adds a middleware around all process functions, or their parts; the first added is the outermost. */
  use(
    middleware: AnyWorkerMiddleware<TTxContext>,
  ): WorkerBuilder<TJobId, TDefinitions, TTxContext, TImplemented>;
  implementJobType<TTypeName extends keyof TDefinitions & string>(
    options: ImplementJobTypeOptions<TJobId, TDefinitions, TTxContext, TTypeName, TImplemented>,
  ): WorkerBuilder<TJobId, TDefinitions, TTxContext, TImplemented | TTypeName>;
  /** Like `implementJobType`, for a process function that is given several due jobs at once. They occupy one slot. */
  implementJobTypeBatch<TTypeName extends keyof TDefinitions & string>(
    options: ImplementJobTypeBatchOptions<
      TJobId,
      TDefinitions,
      TTxContext,
      TTypeName,
      TImplemented
    >,
  ): WorkerBuilder<TJobId, TDefinitions, TTxContext, TImplemented | TTypeName>;
  start(options?: StartWorkerOptions): Promise<RunningWorker>;

  /**
   * Fires due schedules and runs the jobs that are due, at most for `budgetMs`, and leaves nothing open: for
   * serverless functions and scheduled scripts. Several calls at once share the jobs.
   */
  processOnce(options: ProcessOnceOptions): Promise<ProcessOnceResult>;

  /** Fires schedules and runs jobs until none is due, continuations and dependants included: for tests. */
  drain(options?: DrainOptions): Promise<ProcessOnceResult>;
}
