import type { StateDeduplication } from "./deduplication.ts";
import type { ScheduleOptions } from "./schedule.ts";
import type { JobStatus } from "./status.ts";

/** JSON as text. Payloads cross the state contract serialised: no store, no driver and no reference changes them. */
export type JsonText = string;

/**
 * When a sequence fails that a job waits for, the job keeps waiting for a retry, fails too, or goes on. With `"continue"` it
 * also goes on after the cancellation of the sequence.
 */
export type OnBlockerFailure = "wait" | "fail" | "continue";

/** All that is stored of a job. Stores differ in how they keep instants. Ids are plain strings here. */
export interface JobRecord<TInstant> {
  readonly id: string;
  readonly typeName: string;
  /** The id of the sequence's first job. */
  readonly sequenceId: string;
  readonly sequenceTypeName: string;
  /** When the first job of the sequence was created: durations of sequences need no second look-up. */
  readonly sequenceCreatedAt: TInstant;
  readonly rootSequenceId: string;
  readonly originId: string | null;
  /** 0 for the first job of the sequence, one more for each continuation. Never derived from time. */
  readonly position: number;
  /** Grows with creation, over the whole store; the last word in FIFO and the key of pages. */
  readonly ordinal: number;
  readonly status: JobStatus;
  readonly input: JsonText;
  /**
   * Set when completed with an output; null while unfinished and when continued. Of a cancelled job: the reason as JSON,
   * or null.
   */
  readonly output: JsonText | null;
  /** The next job of the sequence, once this one has continued. */
  readonly continuedToId: string | null;
  readonly priority: number;
  readonly onBlockerFailure: OnBlockerFailure;
  readonly deduplicationKey: string | null;
  readonly createdAt: TInstant;
  readonly scheduledAt: TInstant;
  /**
   * The end of the wait of a blocked job: it then runs without the blockers that have not completed. Null for a job that waits
   * until they have, and in any other status.
   */
  readonly blockedUntil: TInstant | null;
  /** Runs begun that count: acquisition adds one, a reschedule or a hand-back takes its own away again. */
  readonly attempt: number;
  readonly lastAttemptAt: TInstant | null;
  readonly lastAttemptError: string | null;
  /** The fencing token: every acquisition adds one, nothing ever takes one away. */
  readonly leaseVersion: number;
  readonly leasedBy: string | null;
  readonly leasedUntil: TInstant | null;
  /** When it completed, failed or was cancelled. */
  readonly finishedAt: TInstant | null;
  /** The worker that completed it; null when unfinished, failed, or completed without a worker. */
  readonly completedBy: string | null;
  /** Opaque to the store: where a trace goes on. */
  readonly traceContext: string | null;
}

/** The record that every state adapter returns for a job. */
export type StateJob = JobRecord<Date>;

/** A sequence as the store sees it: its first job, and the one at its highest position (often the same). */
export interface StateSequence {
  readonly first: StateJob;
  readonly current: StateJob;
}

/** The few fields that name a job, for notifications and events. */
export type StateJobReference = Pick<
  StateJob,
  "id" | "typeName" | "sequenceId" | "sequenceTypeName" | "rootSequenceId" | "originId"
>;

/** The key of a limit that a job stands under. */
export interface JobLimitKey {
  readonly limitName: string;
  readonly key: string;
  /** How many tokens its start takes: a whole number, at least 1. */
  readonly cost: number;
}

interface NewJobFields {
  readonly typeName: string;
  readonly input: JsonText;
  /** Null: due at once. */
  readonly schedule: ScheduleOptions | null;
  readonly priority: number;
  readonly awaitsBlockers: boolean;
  readonly onBlockerFailure: OnBlockerFailure;
  readonly traceContext: string | null;
  /** Left out or null: it stands under no key. Only for stores that have `limitKeys`. */
  readonly limitKey?: JobLimitKey | null | undefined;
}

/** The first job of a new sequence. */
export interface NewEntryJob extends NewJobFields {
  readonly kind: "entry";
  /** Null: the sequence is its own root. */
  readonly rootSequenceId: string | null;
  readonly originId: string | null;
  readonly deduplication: StateDeduplication | null;
  /** Given by the caller, never beside `deduplication`. Left out: the store makes one. */
  readonly id?: string | undefined;
}

/** The next job of a sequence; everything but its own fields is copied from the job it continues. */
export interface NewContinuationJob extends NewJobFields {
  readonly kind: "continuation";
  readonly sequenceId: string;
  readonly sequenceTypeName: string;
  readonly sequenceCreatedAt: Date;
  readonly rootSequenceId: string;
  /** The job it continues. */
  readonly originId: string;
  readonly position: number;
}

/** A job that is to be stored. */
export type NewStateJob = NewEntryJob | NewContinuationJob;

/** The part of a new job that its store decides. */
export interface StoredPlace<TInstant> {
  readonly id: string;
  readonly ordinal: number;
  readonly createdAt: TInstant;
  /** The same object as `createdAt` for a job that is due at once: dates are large. */
  readonly scheduledAt: TInstant;
  /** When the first job of its sequence was created. */
  readonly sequenceCreatedAt: TInstant;
}

/**
 * A new job as it is stored. Every field is written out, because this runs for every job. With spread properties the
 * object takes 129 ns to make, without them 24 ns (Node 20).
 */
export const newStateJob = <TInstant>(
  job: NewStateJob,
  { id, ordinal, createdAt, scheduledAt, sequenceCreatedAt }: StoredPlace<TInstant>,
): JobRecord<TInstant> => {
  const isEntry = job.kind === "entry";
  return {
    id,
    typeName: job.typeName,
    sequenceId: isEntry ? id : job.sequenceId,
    sequenceTypeName: isEntry ? job.typeName : job.sequenceTypeName,
    sequenceCreatedAt,
    rootSequenceId: job.rootSequenceId ?? id,
    originId: job.originId,
    position: isEntry ? 0 : job.position,
    ordinal,
    status: job.awaitsBlockers ? "blocked" : "pending",
    input: job.input,
    output: null,
    continuedToId: null,
    priority: job.priority,
    onBlockerFailure: job.onBlockerFailure,
    deduplicationKey: isEntry ? (job.deduplication?.key ?? null) : null,
    createdAt,
    scheduledAt,
    blockedUntil: null,
    attempt: 0,
    lastAttemptAt: null,
    lastAttemptError: null,
    leaseVersion: 0,
    leasedBy: null,
    leasedUntil: null,
    finishedAt: null,
    completedBy: null,
    traceContext: job.traceContext,
  };
};
