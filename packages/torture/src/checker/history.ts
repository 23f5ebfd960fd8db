// The records of a run, for the checker: calls and results, the rows of handlers, the store.
import type { BlockerEdge, StateJob } from "queuert";
import type { ControlEntry, ControlSeen } from "./control-history.ts";

interface Noted<TKind extends string> {
  readonly kind: TKind;
  /** By a clock that all processes share and that follows the store's within `toleranceMs`. */
  readonly at: number;
}

/** A start whose transaction is known to have committed. */
export interface Started extends Noted<"started"> {
  readonly sequenceId: string;
  readonly path: string;
}

/** A start that was answered with a sequence that was there already. */
export interface Deduplicated extends Noted<"deduplicated"> {
  /** When the start was asked for; `at` is when it was answered. */
  readonly askedAt: number;
  readonly sequenceId: string;
  readonly path: string;
  readonly key: string;
  readonly strategy: "completed" | "all";
  readonly windowMs: number | null;
}

/** A start whose transaction is known to have been rolled back. */
export interface RolledBack extends Noted<"rolledBack"> {
  readonly path: string;
}

/** A process function began. */
export interface Began extends Noted<"began"> {
  readonly process: string;
  readonly jobId: string;
  readonly path: string;
  readonly attempt: number;
  readonly leaseVersion: number;
  readonly blockerSequenceIds: readonly string[];
}

/** A process function ended: with an outcome that is to be stored, by asking for another run, or by throwing. */
export interface Ended extends Noted<"ended"> {
  readonly jobId: string;
  readonly leaseVersion: number;
  readonly how: "completed" | "rescheduled" | "threw";
}

/** A waiter learned how its sequence had ended. */
export interface Awaited extends Noted<"awaited"> {
  readonly sequenceId: string;
  readonly how: "completed" | "failed" | "cancelled";
  /** Of the output's job; null for a failure or a cancellation. */
  readonly path: string | null;
}

/** A call is about to make the job due now. Its result is not known. */
export interface Triggering extends Noted<"triggering"> {
  readonly jobId: string;
}

/** The job was completed without a worker, and that transaction is known to have committed. */
export interface CompletedExternally extends Noted<"completedExternally"> {
  readonly jobId: string;
}

/** A call is about to delete the tree; `deleted`: known to have committed. */
export type Deleting = (Noted<"deleting"> | Noted<"deleted">) & {
  readonly rootSequenceId: string;
};

/** A call is about to retry a failed job; `retried`: known to have been done. */
export type Retried = (Noted<"retrying"> | Noted<"retried">) & {
  readonly jobId: string;
  readonly sequenceId: string;
  readonly failedAt: number;
};

/** Something was still open in a process after everything had been closed. */
export interface Leaked extends Noted<"leaked"> {
  readonly process: string;
  readonly what: string;
}

/** A process had closed everything, or was gone, and the server, or the system, knew of connections of its all the same. */
export interface Connected extends Noted<"connected"> {
  readonly process: string;
  readonly count: number;
}

export type HistoryEntry =
  | Started
  | Deduplicated
  | RolledBack
  | Began
  | Ended
  | Awaited
  | Triggering
  | CompletedExternally
  | Deleting
  | Retried
  | Leaked
  | Connected
  | ControlEntry;

/** A row that was written in the transaction of a completion. */
export interface UserRow {
  readonly jobId: string;
  /** `externalLease` for a completion without a worker. */
  readonly leaseVersion: number;
  readonly path: string;
}

/** Stands in the rows of completions without a worker, which hold no lease. */
export const externalLease = -1;

/** The faults of the run. */
export interface Fault {
  readonly kind: string;
  /** The process that was hit; null for servers and networks. */
  readonly process: string | null;
  readonly from: number;
  readonly until: number;
  /** No progress is possible meanwhile. */
  readonly stopsAll: boolean;
}

/** A lease, as an observer saw it that queries the store repeatedly. */
export interface SeenLease {
  readonly jobId: string;
  readonly typeName: string;
  readonly path: string;
  readonly leaseVersion: number;
  /** By the store's clock. */
  readonly acquiredAt: number;
  readonly holder: string;
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
  /** As last seen. */
  readonly leasedUntil: number;
  /** How far its end was ahead, at most. */
  readonly aheadMs: number;
}

/** A job that was seen and is gone, although no call has deleted it: retention has. */
export interface RemovedJob {
  readonly jobId: string;
  /** When an observer saw it last. */
  readonly seenAt: number;
  readonly missedAt: number;
}

export interface History {
  readonly entries: readonly HistoryEntry[];
  readonly rows: readonly UserRow[];
  /** Every job of the load, as stored in the end; or as last seen, if retention took it. */
  readonly jobs: readonly StateJob[];
  readonly removed: readonly RemovedJob[];
  readonly edges: readonly BlockerEdge[];
  readonly faults: readonly Fault[];
  readonly leases: readonly SeenLease[];
  readonly control: ControlSeen;
  /** By the store's clock, at the end. */
  readonly now: number;
  readonly maxAttempts: number;
  /** How far the clock of the entries may be from that of the store. */
  readonly toleranceMs: number;
  /** A claim may be under way, and jobs locked by it, for so long: of their order nothing is said. */
  readonly claimMs: number;
  /** A statement may have begun so long before the time that it stores. */
  readonly statementMs: number;
  /** Between the time that a sequence says it was created and the look for others with its key, at most. */
  readonly creationMs: number;
  readonly leaseMs: number;
  /** For how long completed jobs are kept. */
  readonly retentionMs: number;
  /** An expired lease has to be taken back within this, and the time of the faults meanwhile. */
  readonly recoveryMs: number;
  /**
   * The number of workers at any time. If all of them are hit by a fault, no progress is possible.
   */
  readonly workerCount: number;
}

export interface Violation {
  readonly rule: string;
  readonly detail: string;
}

export type Check = (history: History) => readonly Violation[];

export const entriesOf = <TKind extends HistoryEntry["kind"]>(
  { entries }: Pick<History, "entries">,
  kind: TKind,
): readonly Extract<HistoryEntry, { readonly kind: TKind }>[] =>
  entries.filter(
    (entry): entry is Extract<HistoryEntry, { readonly kind: TKind }> => entry.kind === kind,
  );
