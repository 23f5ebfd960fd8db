// Why a job does not run, as a value: faces show it, tests compare it.
import type { StateRate } from "../adapters/state-adapter-limits.ts";
import type { OnBlockerFailure } from "../model/state-job.ts";
import type { JobStatus } from "../model/status.ts";

/** Why a job is where it is, and how it goes on. */
export interface Explanation {
  readonly jobId: string;
  /** Null for a job that cannot be seen. */
  readonly sequenceId: string | null;
  readonly typeName: string | null;
  readonly status: JobStatus | null;
  /** The store's clock, or that of this process if the store does not give its own. */
  readonly at: Date;
  readonly verdict: Verdict;
  /** One sentence: that of the deciding reason. */
  readonly headline: string;
  /** The deciding reason first. */
  readonly reasons: readonly Reason[];
  /** The job that holds this one up, if it is another one: the path leads there through blockers. */
  readonly rootCause: RootCause | null;
  readonly runsAt: RunsAt;
  readonly remedies: readonly Remedy[];
  /** Facts that this store does not know. */
  readonly unknown: readonly UnknownFact[];
}

/** The outlook of a job, in one word. */
export type Verdict =
  /** Completed, failed or cancelled: nothing happens by itself. */
  | "finished"
  /** A worker runs it. */
  | "running"
  /** The next worker with room acquires it. */
  | "will_run"
  /** It goes on by itself, later. */
  | "waits"
  /** It does not go on until a person acts. */
  | "stuck";

/** A fact that the store could not tell: an explanation goes without it. */
export type UnknownFact = "clock" | "workers" | "ahead";

/** The job at the end of the waits, and its reason. */
export interface RootCause {
  readonly path: readonly JobRef[];
  readonly reason: Reason;
}

/** When the job runs. */
export interface RunsAt {
  /** Not before this time. Null: not known. */
  readonly earliest: Date | null;
  /** When it probably runs: when the jobs before it are done, at the rate of the last 10 minutes. Null: not known. */
  readonly estimate: Date | null;
}

/** A job as a sentence names it. */
export interface JobRef {
  readonly jobId: string;
  readonly sequenceId: string;
  readonly typeName: string;
  readonly status: JobStatus;
}

/** A job that runs in a slot of a worker. */
export interface PlaceHolder extends JobRef {
  readonly workerId: string;
  readonly forMs: number;
}

/** How far a job says that it is. */
export interface JobProgress {
  /** From 0 to 1. Null: not known. */
  readonly fraction: number | null;
  readonly note: string | null;
  /** The store's clock. */
  readonly at: Date;
}

/** Whether a worker reports. `"late"`: its last report is overdue. */
export type WorkerPresence = "online" | "late" | "gone" | "unknown";

/** `text`: one sentence for people. */
export type Reason = { readonly text: string } & (
  | {
      readonly kind: "completed";
      readonly at: Date | null;
      /** Null: without a worker. */
      readonly workerId: string | null;
      readonly continuedToId: string | null;
    }
  | {
      readonly kind: "failed";
      readonly at: Date | null;
      readonly attempts: number;
      /** The first line. */
      readonly error: string;
    }
  | {
      readonly kind: "cancelled";
      readonly at: Date | null;
      /** As given to `cancelJobSequences`; null if none was given. */
      readonly reason: string | null;
    }
  | {
      readonly kind: "running";
      readonly workerId: string;
      readonly worker: WorkerPresence;
      readonly forMs: number;
      readonly leaseRemainingMs: number;
      /** The most time of an attempt; null: not known, or no limit. */
      readonly timeoutMs: number | null;
      /** Null: the attempt has not reported any. */
      readonly progress: JobProgress | null;
      /** Messages of the last lines that the attempt has logged, if they were asked for. */
      readonly logTail: readonly string[];
    }
  | {
      readonly kind: "worker_gone";
      readonly workerId: string;
      readonly lastBeatAt: Date;
      readonly leaseRemainingMs: number;
    }
  | {
      readonly kind: "lease_expired";
      readonly workerId: string;
      readonly expiredForMs: number;
      /** Workers online that implement the type; null: not known. */
      readonly liveWorkers: number | null;
    }
  | {
      /** A signal that is expected and has not been sent. */
      readonly kind: "awaits_signal";
      /** As given to `expectSignal`. */
      readonly key: string | null;
    }
  | {
      readonly kind: "blocked_by";
      readonly open: readonly JobRef[];
      readonly done: readonly JobRef[];
      /** The job then runs without the blockers that have not completed. Null: it waits until they have. */
      readonly until: Date | null;
    }
  | {
      readonly kind: "blocked_by_failed";
      /** From this job's blocker to the failed job. */
      readonly path: readonly JobRef[];
      readonly error: string;
      readonly onBlockerFailure: OnBlockerFailure;
    }
  | { readonly kind: "blocked_in_a_circle"; readonly path: readonly JobRef[] }
  | {
      readonly kind: "scheduled";
      readonly at: Date;
      readonly inMs: number;
      readonly because: "start" | "retry" | "rescheduled";
      readonly attempt: number;
      /** The first line of the last error. */
      readonly lastError: string | null;
    }
  | {
      readonly kind: "paused";
      /** Null: the pause of every type. */
      readonly jobType: string | null;
      readonly since: Date;
      /** Null: until it is resumed. */
      readonly until: Date | null;
      readonly note: string | null;
    }
  | {
      /** An open transaction has locked the job: acquisitions skip it. */
      readonly kind: "locked";
      /** The session on the server. */
      readonly pid: number;
      readonly application: string;
      /** For how long the transaction has been open. Null: not known. */
      readonly forMs: number | null;
    }
  | {
      readonly kind: "limit_reached";
      /** The name of the limit. */
      readonly limit: string;
      /** The bound that holds the job back. */
      readonly bound: "concurrency" | "rate";
      readonly concurrency: number | null;
      readonly running: number;
      readonly rate: StateRate | null;
    }
  | {
      readonly kind: "key_paused";
      /** The name of the limit. */
      readonly limit: string;
      readonly key: string;
      /** Null: until it is resumed. */
      readonly until: Date | null;
      readonly note: string | null;
    }
  | {
      /** The key of the job has no room. Due jobs of the key that come before it count, too. */
      readonly kind: "key_limit_reached";
      /** The name of the limit. */
      readonly limit: string;
      readonly key: string;
      readonly bound: "concurrency" | "rate";
      readonly concurrency: number | null;
      readonly running: number;
      readonly rate: StateRate | null;
      /** Jobs that run under the key, at most 10. */
      readonly holders: readonly JobRef[];
      /** With the bound `"rate"`: in how long there are enough tokens, at the latest. */
      readonly tokensInMs: number | null;
    }
  | {
      /** The batch of the job waits for more due jobs. */
      readonly kind: "batch_not_ripe";
      /** Due jobs of the type. */
      readonly due: number;
      readonly minSize: number;
      /** Then the batch begins with fewer. */
      readonly ripeAt: Date;
    }
  | {
      readonly kind: "no_worker";
      readonly typeName: string;
      /** The last worker that implemented the type. */
      readonly lastWorkerId: string | null;
      readonly lastSeenAt: Date | null;
      /** Types that live workers implement, with a similar name. */
      readonly nearTypeNames: readonly string[];
    }
  | {
      readonly kind: "workers_full";
      readonly online: number;
      readonly slots: number;
      readonly busy: number;
      /** Jobs that run in these slots, the longest first and at most 5. Empty in lists. */
      readonly holders: readonly PlaceHolder[];
    }
  | {
      readonly kind: "behind";
      readonly ahead: number;
      readonly higherPriority: number;
      readonly isAtLeast: boolean;
    }
  | {
      readonly kind: "due_and_free";
      readonly dueForMs: number;
      /** Null: not known. */
      readonly liveWorkers: number | null;
    }
  | { readonly kind: "invisible" }
);

/** The kinds of reasons that an explanation has. */
export type ReasonKind = Reason["kind"];

/** The reason of one kind. */
export type ReasonOf<TKind extends ReasonKind> = Extract<Reason, { readonly kind: TKind }>;

/** An action that helps: a button, a command or a call. */
export interface Remedy {
  readonly action:
    "retry" | "trigger" | "cancel" | "delete" | "resume" | "start_worker" | "check_health";
  readonly ids: readonly string[];
  /** The same as a command; null: there is none. */
  readonly command: string | null;
  readonly effect: string;
}
