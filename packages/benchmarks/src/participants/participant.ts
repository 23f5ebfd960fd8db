// The interface of every participant to the harness. One module per participant, so that a measured
// process loads only its own.
import { randomBytes } from "node:crypto";

/** Where its jobs are. Ratios are taken to the floor of the same store. */
export type Store = "postgres" | "sqlite" | "mongodb" | "redis" | "in-process";

/**
 * Does nothing, under limits. `keys`: of 10,000 keys, one job of each at a time. `noisy-key`: the jobs of another key under the
 * same limit, of which one runs until the worker stops. `key-rates`: the keys have a rate instead. `type-limit`: a bound over the type. `unused-limits`: only another type is under limits.
 */
export type LimitedWorkload = "keys" | "noisy-key" | "key-rates" | "type-limit" | "unused-limits";

/**
 * The work of a job. `value`: nothing. `callback`: write one row, in the transaction of the
 * completion where there is one. `chain`: five in a row, each started by the one before. `fan-in`:
 * one that waits for ten. `failing`: it throws, is retried at once, and throws again, which is its last attempt.
 */
export type Workload = "value" | "callback" | "chain" | "fan-in" | "failing" | LimitedWorkload;

/** Jobs per unit of a workload. A unit is started at once and belongs together. */
export const jobsPerUnit: Readonly<Record<Workload, number>> = {
  value: 1,
  callback: 1,
  chain: 5,
  "fan-in": 11,
  failing: 1,
  keys: 1,
  "noisy-key": 1,
  "key-rates": 1,
  "type-limit": 1,
  "unused-limits": 1,
};

/** A place of its own on the store's server: a database, a file, a key prefix. */
export interface Target {
  readonly url: string;
  /** For keys, channels and subjects on servers that are shared. */
  readonly prefix: string;
  /** For participants that notify over another server. */
  readonly redisUrl?: string;
  readonly natsUrl?: string;
}

/** About 100 bytes as JSON. `at`: when it was started, on the machine's monotonic clock. */
export interface Payload {
  readonly at: number;
  readonly text: string;
  /** Of a job under a limit by key. */
  readonly key?: string;
}

const usualText = "x".repeat(70);
let text = usualText;

export const payloadOf = (at: number): Payload => ({ at, text });

/** From now on payloads of this process have about so many bytes as JSON. No database can compress them. */
export const usePayloadBytes = (bytes: number): void => {
  const length = bytes - JSON.stringify({ at: 0, text: "" }).length;
  text = randomBytes(length).toString("base64").slice(0, length);
};

/** The machine's monotonic clock in milliseconds, which all its processes share. */
export const nowMs = (): number => Number(process.hrtime.bigint()) / 1e6;

export interface WorkOptions {
  readonly workload: Workload;
  readonly concurrency: number;
  /** The worker implements so many more types, which have no jobs. Only some participants can. */
  readonly idleTypeCount?: number | undefined;
  /** Each handler says so, with its payload's `at`. */
  readonly onRun: (at: number) => void;
}

/** Schedules of jobs that do nothing. The next instants are spread over the interval from `afterMs` on. */
export interface NewSchedules {
  readonly name: string;
  readonly count: number;
  readonly everyMs: number;
  readonly afterMs: number;
}

/** A participant in one process, connected. */
export interface Opened {
  /** Starts one job, in a transaction of its own where there are transactions. */
  readonly startOne: (payload: Payload) => Promise<unknown>;
  /** Starts one job in the user's transaction, together with a row of the user. Left out: not measured. */
  readonly startInTransaction?: (payload: Payload) => Promise<unknown>;
  /** Starts so many units in as few statements as the participant offers. */
  readonly startMany: (workload: Workload, unitCount: number) => Promise<unknown>;
  /** Stores schedules. Each job says how late it runs. Left out: not measured. */
  readonly storeSchedules?: (schedules: NewSchedules) => Promise<unknown>;
  /** Resolves when the worker works; the answer ends it. */
  readonly work: (options: WorkOptions) => Promise<() => Promise<void>>;
  readonly close: () => Promise<void>;
}

/** The state of the store, over a connection that the participant does not use. */
export interface Inspector {
  /** Jobs that are due or running or blocked. Exact, and slow. */
  readonly unfinishedCount: () => Promise<number>;
  /** A moment at which none were, on the monotonic clock, or undefined. Cheap: it is asked every few milliseconds. */
  readonly drainedAt: () => Promise<number | undefined>;
  /** Rows that `callback` jobs have written; undefined if the participant has no place for them. */
  readonly writtenCount: () => Promise<number | undefined>;
  /**
   * The maintenance that the store would have done by itself a minute later: statistics,
   * checkpoints.
   */
  readonly settle: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Looks for each kind of unfinished job in turn; a job only ever moves from an earlier kind to a later one. */
export const drainedAtBy = async (
  looks: readonly (() => Promise<boolean>)[],
): Promise<number | undefined> => {
  let at = nowMs();
  for (const isAnyThere of looks) {
    at = nowMs();
    if (await isAnyThere()) return undefined;
  }
  return at;
};

export interface FillCounts {
  readonly finished: number;
  readonly scheduled: number;
  readonly blocked: number;
  /** Due, and of a type that no worker implements. */
  readonly otherType: number;
}

export interface Participant {
  readonly store: Store;
  /** One line for the report: the settings that were chosen where there was a choice. */
  readonly settings: string;
  readonly workloads: readonly Workload[];
  /** Its jobs are in the process that starts them: no other process can see them. */
  readonly isPrivate?: boolean;
  /** Whether a worker hears of jobs only in the process that started them. */
  readonly sameProcessOnly?: boolean;
  /** Gets a tenth of the jobs to drain: with all of them, a round would take minutes. */
  readonly isSlow?: boolean;
  /** Creates its tables and queues. */
  readonly prepare: (target: Target) => Promise<void>;
  readonly open: (target: Target) => Promise<Opened>;
  readonly inspect: (target: Target) => Promise<Inspector>;
  /** Puts jobs into its tables as if they had run or were still to come. */
  readonly fill?: (target: Target, counts: FillCounts) => Promise<void>;
}
