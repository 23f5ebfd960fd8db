// What the store keeps of a job: what never changes, and versions of its state that are replaced
// whole. Two of them are at hand: the one the open transaction sees, and the last committed one. So reads outside
// the transaction need neither a lock nor a copy.
import type { NewStateJob } from "../adapters/state-adapter-params.ts";
import type { JsonText, OnBlockerFailure } from "../model/state-job.ts";
import type { JobStatus } from "../model/status.ts";
import type { JobTree } from "./job-tree.ts";
import type { OrdinalList } from "./ordinal-list.ts";
import type { HeapNode } from "./time-heap.ts";
import type { TypeQueue } from "./type-queue.ts";

/** One version of what changes in a job. Never written to: a change is a new object. */
export interface JobState {
  readonly status: JobStatus;
  readonly output: JsonText | null;
  readonly continuedToId: string | null;
  readonly scheduledAt: number;
  readonly attempt: number;
  readonly lastAttemptAt: number | null;
  readonly lastAttemptError: string | null;
  readonly leaseVersion: number;
  readonly leasedBy: string | null;
  /** A running job has a lease, and no other has one. */
  readonly leasedUntil: number | null;
  readonly finishedAt: number | null;
  readonly completedBy: string | null;
  /** The token that completed it: tells a lost answer from somebody else's completion. */
  readonly completedByLease: number | null;
  readonly blockers: readonly BlockerLink[];
  /** How many different sequences a blocked job still waits for; without meaning in other statuses. */
  readonly incompleteBlockerCount: number;
}

/** One place in the list of sequences that a job waits for. */
export interface BlockerLink {
  readonly index: number;
  /** The first job of the blocking sequence. */
  readonly sequence: JobCell;
}

export const noBlockers: readonly BlockerLink[] = [];

/** Where a new job comes to stand. `first` null: it starts a sequence. */
export interface JobPlace {
  readonly id: string;
  readonly ordinal: number;
  readonly createdAt: number;
  readonly first: JobCell | null;
  readonly tree: JobTree;
  readonly queue: TypeQueue;
}

/** A job in the store. What can change in it is written by store.ts and the indexes only. */
export class JobCell {
  readonly id: string;
  readonly ordinal: number;
  /** Instants are milliseconds since 1970. */
  readonly createdAt: number;
  readonly originId: string | null;
  readonly position: number;
  readonly input: JsonText;
  readonly priority: number;
  readonly onBlockerFailure: OnBlockerFailure;
  /** On a first job. */
  readonly deduplicationKey: string | null;
  readonly traceContext: string | null;
  /** The first job of its sequence: itself for an entry job. */
  readonly first: JobCell;
  readonly tree: JobTree;
  readonly queue: TypeQueue;

  /** As the open transaction sees it. Undefined: not there (not any more, or rolled back). */
  state: JobState | undefined = undefined;
  /** As everybody else sees it. */
  committed: JobState | undefined = undefined;
  /** Its place among jobs to take: pending ones, and running ones whose lease is known to have expired. */
  due: HeapNode | null = null;
  /** Its place among leases. */
  lease: HeapNode | null = null;
  /** On a first job: all jobs of the sequence, once there are two. */
  chain: OrdinalList | null = null;
  /** On a first job: the jobs that wait or waited for the sequence. */
  dependants: Set<JobCell> | null = null;
  /** Out of the store for good; lists that still hold it leave it out. */
  dropped = false;

  constructor(job: NewStateJob, place: JobPlace) {
    this.id = place.id;
    this.ordinal = place.ordinal;
    this.createdAt = place.createdAt;
    this.originId = job.originId;
    this.position = job.kind === "entry" ? 0 : job.position;
    this.input = job.input;
    this.priority = job.priority;
    this.onBlockerFailure = job.onBlockerFailure;
    this.deduplicationKey = job.kind === "entry" ? (job.deduplication?.key ?? null) : null;
    this.traceContext = job.traceContext;
    this.first = place.first ?? this;
    this.tree = place.tree;
    this.queue = place.queue;
  }

  get typeName(): string {
    return this.queue.typeName;
  }

  get rootSequenceId(): string {
    return this.tree.rootSequenceId;
  }
}

/** Whose eyes to look through: those of the open transaction, or everybody else's. */
export type View = "transaction" | "committed";

export const stateOf = (cell: JobCell, view: View): JobState | undefined =>
  view === "transaction" ? cell.state : cell.committed;

/** The job at the highest position of the sequence that starts with `first`; undefined if none is visible. */
export const currentOf = (first: JobCell, view: View): JobCell | undefined => {
  if (first.chain === null) return stateOf(first, view) === undefined ? undefined : first;
  return first.chain.findLast((cell) => stateOf(cell, view) !== undefined);
};

/** Whether the sequence has ended with an output: what its dependants wait for. */
export const isSequenceComplete = (first: JobCell): boolean => {
  const state = currentOf(first, "transaction")?.state;
  return state?.status === "completed" && state.continuedToId === null;
};

export const isUnfinished = (state: JobState | undefined): boolean =>
  state !== undefined && state.status !== "completed" && state.status !== "failed";

/** Whether the sequence has ended without one, as the transaction at hand sees it. */
export const hasFailed = (first: JobCell): boolean =>
  currentOf(first, "transaction")?.state?.status === "failed";
