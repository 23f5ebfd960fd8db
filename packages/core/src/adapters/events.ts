// Everything that can be observed, as one union. Log, metrics and traces are exhaustive switches over it: a new event
// compiles only when each of them handles it. Events about stored state are emitted after the commit that stored it.
// They carry ids, names, counts and times; never a payload.
import type { StateJobReference } from "../model/state-job.ts";
import type { TickKind, TickOutcome } from "../model/tick.ts";
import type { JobStatus } from "../model/status.ts";

/** The fields that name a job in events. */
export type JobBasicData = StateJobReference;

/** A job in the hands of a worker. */
export interface JobProcessingData extends JobBasicData {
  readonly workerId: string;
  readonly attempt: number;
  readonly leaseVersion: number;
}

/** A sequence, named. */
export interface JobSequenceData {
  readonly sequenceId: string;
  readonly sequenceTypeName: string;
  readonly rootSequenceId: string;
  readonly originId: string | null;
}

/** The worker of an event. */
export interface WorkerData {
  readonly workerId: string;
  readonly typeNames: readonly string[];
}

interface WorkerEvents {
  readonly workerStarted: WorkerData & { readonly concurrency: number };
  /** More jobs at a time than the store has connections: completions by callback take turns. */
  readonly workerLacksConnections: WorkerData & {
    readonly concurrency: number;
    readonly connectionsMax: number;
  };
  /**
   * The store's clock moved against this worker's: it was set, or another server took over, or the worker's host was
   * suspended. `stepMs` is negative if it went back.
   */
  readonly storeClockStepped: WorkerData & { readonly stepMs: number };
  readonly workerError: WorkerData & { readonly operation: string; readonly error: unknown };
  readonly workerStopping: WorkerData;
  /** A stop waits for running jobs: emitted after 2 s, and then every 10 s. The first 10 jobs are named. */
  readonly workerStopDelayed: WorkerData & {
    readonly waitedMs: number;
    readonly runningCount: number;
    readonly running: readonly {
      readonly id: string;
      readonly typeName: string;
      readonly runningMs: number;
      /** Its signal is aborted, and it runs all the same. */
      readonly isSignalled: boolean;
    }[];
  };
  readonly workerStopped: WorkerData;
}

interface JobEvents {
  readonly jobCreated: JobBasicData & {
    readonly status: JobStatus;
    readonly scheduledAt: Date;
    readonly position: number;
  };
  readonly jobAttemptStarted: JobProcessingData & {
    /** From when the job was due to when its process function began. */
    readonly waitedMs: number;
  };
  readonly jobAttemptTakenByAnotherWorker: JobProcessingData;
  readonly jobAttemptAlreadyCompleted: JobProcessingData;
  readonly jobAttemptNotFound: JobProcessingData;
  /** The job was cancelled while this attempt ran: nothing of the attempt is stored. */
  readonly jobAttemptCancelled: JobProcessingData;
  /** This worker let a lease run out; no other worker has acquired the job yet. */
  readonly jobAttemptLeaseExpired: JobProcessingData & { readonly leasedUntil: Date };
  readonly jobAttemptLeaseRenewed: JobProcessingData & { readonly leaseMs: number };
  readonly jobAttemptFailed: JobProcessingData & {
    readonly error: unknown;
    readonly willRetry: boolean;
    /** Further attempts that the retry policy allows; null: not limited. */
    readonly attemptsLeft: number | null;
    /** When the next attempt is due, if there is one. */
    readonly retryAt: Date | null;
    readonly durationMs: number;
  };
  readonly jobAttemptRescheduled: JobProcessingData & {
    readonly scheduledAt: Date;
    readonly durationMs: number;
  };
  readonly jobAttemptCompleted: JobProcessingData & {
    readonly continued: boolean;
    readonly durationMs: number;
  };
  /** Acquired, and given back before its attempt began. */
  readonly jobHandedBack: JobProcessingData;
  readonly jobCompleted: JobBasicData & {
    readonly workerId: string | null;
    readonly continuedToId: string | null;
    /** From creation to completion. */
    readonly durationMs: number;
  };
  readonly jobFailed: JobBasicData & { readonly workerId: string | null; readonly reason: string };
  /** The job was cancelled, and with it its sequence. */
  readonly jobCancelled: JobBasicData & { readonly reason: string | null };
  readonly jobRetried: JobBasicData;
  readonly jobReaped: JobBasicData & {
    /** The worker whose lease had expired. */
    readonly leasedBy: string;
    readonly workerId: string;
  };
  readonly jobBlocked: JobBasicData & { readonly blockerSequenceIds: readonly string[] };
  readonly jobUnblocked: JobBasicData & { readonly unblockedBySequenceId: string };
}

interface TypeEvents {
  /** An operator has paused job types. Null among the names: every type. `forMs`: null until they are resumed. */
  readonly jobTypesPaused: {
    readonly typeNames: readonly (string | null)[];
    readonly forMs: number | null;
    readonly note: string | null;
  };
  readonly jobTypesResumed: { readonly typeNames: readonly (string | null)[] };
  /** Job types without a catalogue: the name is probably misspelt. Emitted once for each name. */
  readonly jobTypeNotImplemented: {
    readonly typeName: string;
    /** The nearest names that workers of the client implement. */
    readonly nearTypeNames: readonly string[];
  };
}

interface SequenceEvents {
  readonly jobSequenceCreated: JobSequenceData;
  readonly jobSequenceDeduplicated: JobSequenceData;
  readonly jobSequenceCompleted: JobSequenceData & { readonly durationMs: number };
  readonly jobSequenceFailed: JobSequenceData & { readonly durationMs: number };
  readonly jobSequencesDeleted: {
    readonly rootSequenceIds: readonly string[];
    readonly jobCount: number;
  };
}

interface ScheduleEvents {
  /** A tick of a schedule has its outcome. */
  readonly scheduleTicked: {
    readonly schedule: string;
    readonly tickAt: Date;
    readonly kind: TickKind;
    readonly outcome: TickOutcome;
    readonly sequenceId: string | null;
    /** From its instant to its outcome. */
    readonly lateMs: number;
  };
  /** A schedule could not be fired: its time zone is unknown to this process, or its job was refused. */
  readonly scheduleFailed: {
    readonly schedule: string;
    readonly error: unknown;
    readonly retryInMs: number;
  };
}

interface AdapterEvents {
  /** Jobs were started outside `withNotify` and `transaction`: workers find them with their next poll. */
  readonly notifyContextAbsence: { readonly operation: string; readonly jobCount: number };
  readonly notifyAdapterError: { readonly operation: string; readonly error: unknown };
  readonly stateAdapterError: { readonly operation: string; readonly error: unknown };
  /** A handler has kept a transaction open for long, and with it locks, a connection, or the only writer. */
  readonly jobHeldTransaction: JobProcessingData & { readonly heldMs: number };
}

/** The data of each event, by its name. */
export interface QueuertEventData
  extends WorkerEvents, JobEvents, TypeEvents, SequenceEvents, ScheduleEvents, AdapterEvents {}

/** The names of all events. */
export type QueuertEventType = keyof QueuertEventData;

/** One observed thing: its `type`, and the data that goes with that type. */
export type QueuertEvent = {
  [TType in QueuertEventType]: { readonly type: TType } & QueuertEventData[TType];
}[QueuertEventType];

/** Gauge movements: they balance to zero once every worker has stopped. */
export interface JobTypeGaugeChange {
  readonly typeName: string;
  readonly workerId: string;
  readonly delta: number;
}
