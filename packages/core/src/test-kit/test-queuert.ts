// The types of the kit: the options of `createTestQueuert`, and the client that it makes.
import type { GetStateAdapterJobId, GetStateAdapterTxContext } from "../adapters/state-adapter.ts";
import type { TimeTravel } from "../adapters/time-travel.ts";
import type { AnyJobOf, JobInput, JobSequenceOf } from "../job-types/job-of.ts";
import type { QueuertOptions } from "../queuert.ts";
import type { DrainOptions, ProcessOnceResult } from "../public-types/process-once.ts";
import type { Queuert } from "../public-types/queuert.ts";
import type { StartJobSequenceOptions } from "../public-types/start.ts";
import type { WorkerMiddleware } from "../public-types/worker.ts";
import type { Duration } from "./duration.ts";
import type { FaultOptions, FaultyMethod } from "./faults.ts";
import type { TestAttempt } from "./journal.ts";
import type { StartedSequence } from "./started.ts";
import type { WaitingJob } from "./waiting.ts";

/** A worker that is not started: the result of `createWorker` with its job types. */
export interface TestWorker {
  use(middleware: WorkerMiddleware): TestWorker;
  drain(options?: DrainOptions): Promise<ProcessOnceResult>;
}

/** Adds the job types of a worker to the client of the test. */
export type MakeTestWorker<TDefinitions, TStateAdapter> = (
  queuert: Queuert<TDefinitions, TStateAdapter>,
) => TestWorker;

/** The options of `createTestQueuert`, besides those of `createQueuert`. */
export interface TestQueuertOptions<TDefinitions, TStateAdapter> extends Omit<
  QueuertOptions<TDefinitions, TStateAdapter>,
  "stateAdapter"
> {
  /** The store of the application. Default: an in-process store whose ids are `job-1`, `job-2` and so on. */
  readonly stateAdapter?: TStateAdapter | undefined;
  /** How time passes in that store, from the subpath `/test` of its package. Default: it cannot be skipped. */
  readonly timeTravel?: TimeTravel | undefined;
  /** Make the workers that `drain` runs, with the client of the test. Default: none. */
  readonly workers?: readonly MakeTestWorker<NoInfer<TDefinitions>, NoInfer<TStateAdapter>>[];
  /** How many jobs `drain` runs at a time. Default: 1, so that their order is always the same. */
  readonly concurrency?: number | undefined;
}

/** The options of `drain` and `run`. */
export interface TestDrainOptions {
  /** How far ahead time is skipped, in all, while nothing is due. Default: 0, no time is skipped. */
  readonly skipTime?: Duration | undefined;
  /** Whether an error that a process function threw is thrown, if its job has not completed since. Default: true. */
  readonly throwErrors?: boolean | undefined;
}

/** The result of a `drain`. */
export interface DrainResult {
  /** Attempts that completed or continued their job. */
  readonly completed: number;
  /** Attempts after which the job is to be tried again. */
  readonly retried: number;
  /** Jobs that failed for good. */
  readonly failed: number;
  readonly skippedMs: number;
  /** Each attempt, in the order of their ends. */
  readonly attempts: readonly TestAttempt[];
  /** The first hundred unfinished jobs of the test, and why each waits. */
  readonly waiting: readonly WaitingJob[];
}

/** The one attempt of a `runNext`, with its job as it is afterwards. */
export interface RunNextResult<TJob> extends TestAttempt {
  readonly job: TJob;
}

/** The crash of one attempt. */
export interface CrashOptions<TTypeName extends string> {
  /** The type of the job whose attempt crashes. */
  readonly typeName: TTypeName;
  /** The number of the attempt. Default: the next one. */
  readonly attempt?: number | undefined;
  /** Before or after its process function runs. Default: `"afterSideEffects"`. */
  readonly when?: "beforeProcessing" | "afterSideEffects" | undefined;
}

/** A client for tests: its workers run only when a test says so, and its time passes only then. */
export interface TestQueuert<TDefinitions, TStateAdapter> extends TestMethods<
  TDefinitions,
  GetStateAdapterTxContext<TStateAdapter>,
  GetStateAdapterJobId<TStateAdapter>
> {
  /** The client, for the code that is tested. */
  readonly queuert: Queuert<TDefinitions, TStateAdapter>;
}

/** The methods of a test client, by the types of the state adapter that they depend on. */
export interface TestMethods<TDefinitions, TTxContext, TJobId extends string> {
  /** Runs all that is due, also after time has been skipped, until nothing is. */
  drain(options?: TestDrainOptions): Promise<DrainResult>;

  /** Runs one attempt of a due job, of a type or of any. Undefined if none is due. */
  runNext<TTypeName extends keyof TDefinitions & string = keyof TDefinitions & string>(
    typeName?: TTypeName,
  ): Promise<RunNextResult<AnyJobOf<TJobId, TDefinitions, TTypeName>> | undefined>;

  /** Starts a sequence, drains, and returns the sequence as it is then. */
  run<TTypeName extends keyof TDefinitions & string>(
    options: StartJobSequenceOptions<TJobId, TDefinitions, TTxContext, TTypeName>,
    drainOptions?: TestDrainOptions,
  ): Promise<JobSequenceOf<TJobId, TDefinitions, NoInfer<TTypeName>>>;

  /** Lets time pass, and runs nothing. */
  advance(duration: Duration): Promise<void>;

  /** The time of the test: that of the store, and all the time that was skipped. */
  now(): Promise<Date>;

  /** Ends an attempt as a killed process would: its outcome is not stored, and its job waits for the end of its lease. */
  crash<TTypeName extends keyof TDefinitions & string>(options: CrashOptions<TTypeName>): void;

  /** The next calls of a method of the state adapter fail. */
  failNext(method: FaultyMethod, options?: FaultOptions): void;

  /** From now on, notifications reach no process. Call the result to end that. */
  loseNotifications(): () => void;

  /** The sequences that were started since the client was created, oldest first. */
  started<TTypeName extends keyof TDefinitions & string = keyof TDefinitions & string>(
    typeName?: TTypeName,
  ): Promise<readonly StartedOf<TDefinitions, TTypeName>[]>;

  /** A sequence and its blockers as text, without ids and times: for snapshots. */
  graph(sequenceId: TJobId): Promise<string>;

  /** Closes the client. The state adapter stays open, as `queuert.close` leaves it. */
  close(): Promise<void>;
}

/** A start of each of these types. */
export type StartedOf<
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
> = TTypeName extends unknown
  ? StartedSequence<TTypeName, JobInput<TDefinitions, TTypeName>>
  : never;
