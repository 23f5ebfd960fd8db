import type { JobStatus } from "./status.ts";

/** JSON as text. Payloads cross the state contract serialised: no store, no driver and no reference changes them. */
export type JsonText = string;

/** When a sequence fails that a job waits for, the job keeps waiting for a retry, or fails too. */
export type OnBlockerFailure = "wait" | "fail";

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
  /** Set when completed with an output; null while unfinished and when continued. */
  readonly output: JsonText | null;
  /** The next job of the sequence, once this one has continued. */
  readonly continuedToId: string | null;
  readonly priority: number;
  readonly onBlockerFailure: OnBlockerFailure;
  readonly deduplicationKey: string | null;
  readonly createdAt: TInstant;
  readonly scheduledAt: TInstant;
  /** Runs begun that count: acquisition adds one, a reschedule or a hand-back takes its own away again. */
  readonly attempt: number;
  readonly lastAttemptAt: TInstant | null;
  readonly lastAttemptError: string | null;
  /** The fencing token: every acquisition adds one, nothing ever takes one away. */
  readonly leaseVersion: number;
  readonly leasedBy: string | null;
  readonly leasedUntil: TInstant | null;
  /** When it completed or failed. */
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
