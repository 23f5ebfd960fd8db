// A job in the store: its fields that never change, and two versions of its state. One is the version of the open
// transaction, the other is the last committed one. Reads outside the transaction therefore need no lock and no copy.
// A new field of a job is added in this file only.
import type { StoredAttempt } from "../adapters/operator-store.ts";
import type { LeaseLostReason, NewStateJob } from "../adapters/state-adapter-params.ts";
import type { JobLimitKey, JobRecord, OnBlockerFailure, StateJob } from "../model/state-job.ts";
import { isFinished } from "../model/status.ts";
import type { JobTree } from "./job-tree.ts";
import type { OrdinalList } from "./ordinal-list.ts";
import type { HeapNode } from "./time-heap.ts";
import type { TypeQueue } from "./type-queue.ts";

/** The fields that `StoredJob` has by itself. */
type FixedField =
  | "id"
  | "typeName"
  | "sequenceId"
  | "sequenceTypeName"
  | "sequenceCreatedAt"
  | "rootSequenceId"
  | "originId"
  | "position"
  | "ordinal"
  | "onBlockerFailure"
  | "deduplicationKey"
  | "createdAt"
  | "traceContext";

/** One version of the fields that change. It is never written to: a change is a new object. */
export interface JobState extends Omit<JobRecord<number>, FixedField> {
  /** The lease under which the job was completed. It identifies a completion whose result the caller lost. */
  readonly completedByLease: number | null;
  /** The attempts that did not complete it. */
  readonly attempts: readonly StoredAttempt[];
  readonly blockers: readonly BlockerLink[];
  /** When its last blocker completed; null if it never was blocked. */
  readonly releasedAt: number | null;
  /** The number of different blockers of a blocked job that are not complete. Undefined in other statuses. */
  readonly incompleteBlockerCount: number;
  /** The key that it stands under; null: none. */
  readonly limitKey: JobLimitKey | null;
}

const noAttempts: readonly StoredAttempt[] = [];

/** The first state of a new job. */
export const initialState = (job: NewStateJob, scheduledAt: number): JobState => ({
  status: job.awaitsBlockers ? "blocked" : "pending",
  input: job.input,
  priority: job.priority,
  output: null,
  continuedToId: null,
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
  completedByLease: null,
  attempts: noAttempts,
  blockers: noBlockers,
  releasedAt: null,
  incompleteBlockerCount: 0,
  limitKey: job.limitKey ?? null,
});

export const toStateJob = (stored: StoredJob, state: JobState): StateJob => {
  const { first } = stored;
  // Dates are large: equal instants of one record are one object.
  const createdAt = new Date(stored.createdAt);
  return {
    id: stored.id,
    typeName: stored.typeName,
    sequenceId: first.id,
    sequenceTypeName: first.typeName,
    sequenceCreatedAt: first === stored ? createdAt : new Date(first.createdAt),
    rootSequenceId: stored.rootSequenceId,
    originId: stored.originId,
    position: stored.position,
    ordinal: stored.ordinal,
    status: state.status,
    input: state.input,
    output: state.output,
    continuedToId: state.continuedToId,
    priority: state.priority,
    onBlockerFailure: stored.onBlockerFailure,
    deduplicationKey: stored.deduplicationKey,
    createdAt,
    scheduledAt: state.scheduledAt === stored.createdAt ? createdAt : new Date(state.scheduledAt),
    blockedUntil: state.status === "blocked" ? toDate(state.blockedUntil) : null,
    attempt: state.attempt,
    lastAttemptAt: toDate(state.lastAttemptAt),
    lastAttemptError: state.lastAttemptError,
    leaseVersion: state.leaseVersion,
    leasedBy: state.leasedBy,
    leasedUntil: toDate(state.leasedUntil),
    finishedAt: toDate(state.finishedAt),
    completedBy: state.completedBy,
    traceContext: stored.traceContext,
  };
};

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

/** One place in the list of blockers of a job. */
export interface BlockerLink {
  readonly index: number;
  /** The first job of the blocking sequence. */
  readonly sequence: StoredJob;
}

export const noBlockers: readonly BlockerLink[] = [];

/** The place of a new job in the store. `first` is null for the first job of a sequence. */
export interface JobPlace {
  readonly id: string;
  readonly ordinal: number;
  readonly createdAt: number;
  readonly first: StoredJob | null;
  readonly tree: JobTree;
  readonly queue: TypeQueue;
}

/** A job in the store. Only `store.ts` and the indexes write to it. */
export class StoredJob {
  readonly id: string;
  readonly ordinal: number;
  /** Instants are milliseconds since 1970. */
  readonly createdAt: number;
  readonly originId: string | null;
  readonly position: number;
  /** Its place among due jobs: that of the version in the queue. */
  priority: number;
  readonly onBlockerFailure: OnBlockerFailure;
  /** On a first job. */
  readonly deduplicationKey: string | null;
  readonly traceContext: string | null;
  /** The first job of its sequence: itself for an entry job. */
  readonly first: StoredJob;
  readonly tree: JobTree;
  readonly queue: TypeQueue;

  /** The version of the open transaction. Undefined for a job that is deleted or rolled back. */
  state: JobState | undefined = undefined;
  /** The version outside the open transaction. */
  committed: JobState | undefined = undefined;
  /** Its place among jobs to acquire: pending jobs, and running jobs whose lease is known to have expired. */
  due: HeapNode | null = null;
  /** The queue that has it while `due` is set: that of its type, or of its key. */
  line: TypeQueue | null = null;
  /** Its place among leases. */
  lease: HeapNode | null = null;
  /** On a first job: all jobs of the sequence, once there are two. */
  chain: OrdinalList | null = null;
  /** On a first job: the dependants of the sequence. */
  dependants: Set<StoredJob> | null = null;
  /** No longer in the store. Lists that still have it skip it. */
  dropped = false;

  constructor(job: NewStateJob, place: JobPlace) {
    this.id = place.id;
    this.ordinal = place.ordinal;
    this.createdAt = place.createdAt;
    this.originId = job.originId;
    this.position = job.kind === "entry" ? 0 : job.position;
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

/** The versions to read: those of the open transaction, or the committed ones. */
export type View = "transaction" | "committed";

export const stateOf = (stored: StoredJob, view: View): JobState | undefined =>
  view === "transaction" ? stored.state : stored.committed;

/** The job at the highest position of the sequence that starts with `first`; undefined if none is visible. */
export const currentOf = (first: StoredJob, view: View): StoredJob | undefined => {
  if (first.chain === null) return stateOf(first, view) === undefined ? undefined : first;
  return first.chain.findLast((stored) => stateOf(stored, view) !== undefined);
};

/** Whether the sequence has ended with an output. */
export const isSequenceComplete = (first: StoredJob): boolean => {
  const state = currentOf(first, "transaction")?.state;
  return state?.status === "completed" && state.continuedToId === null;
};

/** Whether the sequence has ended in any way. */
export const hasEnded = (first: StoredJob): boolean => {
  const state = currentOf(first, "transaction")?.state;
  return state !== undefined && isFinished(state.status) && state.continuedToId === null;
};

export const isUnfinished = (state: JobState | undefined): boolean =>
  state !== undefined && !isFinished(state.status);

/** Whether the sequence was cancelled, in the open transaction. */
export const wasCancelled = (first: StoredJob): boolean =>
  currentOf(first, "transaction")?.state?.status === "cancelled";

/** Whether the sequence has failed, in the open transaction. */
export const hasFailed = (first: StoredJob): boolean =>
  currentOf(first, "transaction")?.state?.status === "failed";

export const isHeld = (state: JobState | undefined, leaseVersion: number): state is JobState =>
  state?.status === "running" && state.leaseVersion === leaseVersion;

/** The reason why a lease is not held. A job that is pending again was taken from its holder. */
export const whyLost = (state: JobState | undefined): LeaseLostReason => {
  if (state === undefined) return "not_found";
  if (state.status === "cancelled") return "cancelled";
  return isFinished(state.status) ? "already_completed" : "taken_by_another_worker";
};
