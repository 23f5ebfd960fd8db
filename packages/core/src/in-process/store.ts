// Maps and indexes. One function, `apply`, keeps every index up to date, from the state before and the state after. To undo
// a change is to apply it in reverse, so a rollback restores every index with the same code.
// Readers outside the transaction also walk the lists. A job enters them when it is inserted, and leaves them when its
// deletion is committed.
import { isFinished } from "../model/status.ts";
import type { NewStateJob } from "../adapters/state-adapter-params.ts";
import { addKeyed, dropKeyed, refreshKeyed } from "./deduplication-index.ts";
import { type BlockerLink, StoredJob, type JobState, noBlockers } from "./stored-job.ts";
import { FinishedTrees, JobTree } from "./job-tree.ts";
import { LeaseIndex } from "./lease-index.ts";
import { OrdinalList } from "./ordinal-list.ts";
import { type SchedulesMark, ScheduleTables } from "./schedule-tables.ts";
import type { StoredLimit, StoredLimitKey } from "./limits.ts";
import type { StoredPause } from "./pauses.ts";
import { TypeQueue } from "./type-queue.ts";
import { UndoLog } from "./undo-log.ts";

/** The beginning of a statement. */
export interface Savepoint {
  readonly jobs: number;
  readonly schedules: SchedulesMark;
}

/** The beginning of the open transaction. */
export const transactionStart: Savepoint = { jobs: 0, schedules: { schedules: 0, ticks: 0 } };

export class Store {
  readonly byId: Map<string, StoredJob> = new Map();
  readonly jobs: OrdinalList = new OrdinalList();
  /** The first job of every sequence. */
  readonly sequences: OrdinalList = new OrdinalList();
  readonly queues: Map<string, TypeQueue> = new Map();
  readonly leases: LeaseIndex = new LeaseIndex();
  readonly finishedTrees: FinishedTrees = new FinishedTrees();
  readonly failedJobs: Set<StoredJob> = new Set();
  readonly scheduling: ScheduleTables = new ScheduleTables();
  /** By type name; under null, the pause of everything. Those that have ended are left until they are resumed. */
  readonly pauses: Map<string | null, StoredPause> = new Map();
  readonly limits: Map<string, StoredLimit> = new Map();
  /** Keys of limits with bounds of their own, a pause, or tokens that were taken. */
  readonly limitKeys: Map<string, StoredLimitKey> = new Map();
  /** The store's clock at the moment of the statement. */
  now = 0;
  private readonly undoLog = new UndoLog();
  /** Trees whose root is not, or no longer, a job of this store. */
  private readonly rootlessTrees = new Map<string, JobTree>();
  private lastOrdinal = 0;
  private lastTurn = 0;

  nextTurn(): number {
    return ++this.lastTurn;
  }

  queueOf(typeName: string): TypeQueue {
    let queue = this.queues.get(typeName);
    if (queue === undefined) {
      queue = new TypeQueue(typeName);
      this.queues.set(typeName, queue);
    }
    return queue;
  }

  /** The first job of a sequence that the writer sees. */
  sequence(id: string): StoredJob | undefined {
    const stored = this.byId.get(id);
    return stored?.state !== undefined && stored.first === stored ? stored : undefined;
  }

  tree(rootSequenceId: string): JobTree | undefined {
    const tree = this.byId.get(rootSequenceId)?.tree;
    return tree?.rootSequenceId === rootSequenceId ? tree : this.rootlessTrees.get(rootSequenceId);
  }

  /** A new job, as the last of the sequence that starts with `first`, or as the first of its own. */
  insert(id: string, job: NewStateJob, state: JobState, first: StoredJob | null): StoredJob {
    const ordinal = ++this.lastOrdinal;
    const tree = first?.tree ?? this.treeFor(job.rootSequenceId ?? id, id);
    const queue = this.queueOf(job.typeName);
    const stored = new StoredJob(job, { id, ordinal, createdAt: this.now, first, tree, queue });
    this.jobs.append(stored);
    stored.tree.add(stored);
    if (first === null) {
      this.sequences.append(stored);
      if (stored.deduplicationKey !== null) addKeyed(stored, stored.deduplicationKey);
    } else {
      if (first.chain === null) {
        first.chain = new OrdinalList();
        first.chain.append(first);
      }
      first.chain.append(stored);
    }
    this.put(stored, state);
    return stored;
  }

  /** Replaces a job's state; undefined deletes it. */
  put(stored: StoredJob, state: JobState | undefined): void {
    this.undoLog.record(stored);
    this.apply(stored, state);
  }

  /** For `rollbackTo`. */
  get savepoint(): Savepoint {
    return { jobs: this.undoLog.mark, schedules: this.scheduling.mark };
  }

  rollbackTo(savepoint: Savepoint): void {
    this.scheduling.rewind(savepoint.schedules);
    this.undoLog.rewind(savepoint.jobs, (stored, before) => {
      this.apply(stored, before);
      if (before === undefined && stored.committed === undefined) this.drop(stored);
    });
  }

  /** Makes the writes since the last commit visible to all readers. */
  commit(): void {
    this.scheduling.commit();
    this.undoLog.drain((stored) => {
      const old = stored.committed?.blockers ?? noBlockers;
      stored.committed = stored.state;
      unlinkBlockers(stored, old);
      if (stored.state === undefined && !stored.dropped) this.drop(stored);
    });
  }

  /**
   * Runs the callback with every index as it was at the last commit, then applies the writes of the open transaction again.
   * Reads of an index need it, because an index has one version only.
   */
  withCommittedIndexes<T>(callback: () => T): T {
    const redo = this.undoLog.entriesNewestFirst().map(({ stored, before }) => {
      const after = stored.state;
      this.apply(stored, before);
      return { stored, after };
    });
    try {
      return callback();
    } finally {
      for (const { stored, after } of redo.reverse()) this.apply(stored, after);
    }
  }

  private apply(stored: StoredJob, after: JobState | undefined): void {
    const before = stored.state;
    stored.state = after;
    // A start may give the id of a job that its transaction has deleted. After a rollback the id is the old job's again.
    if (before === undefined && after !== undefined) this.byId.set(stored.id, stored);
    const { counts } = stored.queue;
    if (before?.status !== after?.status) {
      if (before !== undefined) counts[before.status]--;
      if (after !== undefined) counts[after.status]++;
      if (before?.status === "failed") this.failedJobs.delete(stored);
      if (after?.status === "failed") this.failedJobs.add(stored);
      stored.tree.changed(before, after);
    }
    this.place(stored, before, after);
    if (stored.first.deduplicationKey !== null) {
      refreshKeyed(stored.first, stored.first.deduplicationKey);
    }
    linkBlockers(stored, before, after);
  }

  /** Keeps the job among the jobs to acquire, or among the leased jobs, or in neither. */
  private place(
    stored: StoredJob,
    before: JobState | undefined,
    after: JobState | undefined,
  ): void {
    if (before !== undefined && after !== undefined && isSamePlace(before, after)) return;
    if (stored.due !== null) stored.queue.remove(stored);
    if (stored.lease !== null) this.leases.remove(stored);
    if (after === undefined) return;
    stored.priority = after.priority;
    if (after.status === "pending") stored.queue.add(stored, after.scheduledAt, this.now);
    if (after.status === "blocked" && after.blockedUntil !== null) {
      stored.queue.addWaiting(stored, after.blockedUntil);
    }
    if (after.leasedUntil !== null) this.leases.add(stored, after.leasedUntil);
  }

  private treeFor(rootSequenceId: string, id: string): JobTree {
    const known = rootSequenceId === id ? undefined : this.tree(rootSequenceId);
    if (known !== undefined) return known;
    const tree = new JobTree(rootSequenceId, this.finishedTrees);
    if (rootSequenceId !== id) this.rootlessTrees.set(rootSequenceId, tree);
    return tree;
  }

  private drop(stored: StoredJob): void {
    const { first, tree } = stored;
    stored.dropped = true;
    if (this.byId.get(stored.id) === stored) this.byId.delete(stored.id);
    this.jobs.noteDropped();
    tree.drop();
    if (tree.isEmpty) this.rootlessTrees.delete(tree.rootSequenceId);
    first.chain?.noteDropped();
    if (first !== stored) return;
    this.sequences.noteDropped();
    if (stored.deduplicationKey !== null) dropKeyed(stored, stored.deduplicationKey);
  }
}

const isSamePlace = (before: JobState, after: JobState): boolean =>
  before.status === after.status &&
  (isFinished(before.status) ||
    (before.scheduledAt === after.scheduledAt &&
      before.priority === after.priority &&
      before.limitKey === after.limitKey &&
      before.blockedUntil === after.blockedUntil &&
      before.leasedUntil === after.leasedUntil));

/** From a blocking sequence to the jobs that wait for it. */
const linkBlockers = (
  stored: StoredJob,
  before: JobState | undefined,
  after: JobState | undefined,
): void => {
  const old = before?.blockers ?? noBlockers;
  const current = after?.blockers ?? noBlockers;
  if (old === current) return;
  unlinkBlockers(stored, old);
  for (const { sequence } of current) {
    sequence.dependants ??= new Set();
    sequence.dependants.add(stored);
  }
};

/** A link stays while the writer or a reader of the committed state may follow it. */
const unlinkBlockers = (stored: StoredJob, old: readonly BlockerLink[]): void => {
  if (old === stored.state?.blockers) return;
  for (const { sequence } of old) {
    if (waitsFor(stored.state, sequence) || waitsFor(stored.committed, sequence)) continue;
    sequence.dependants?.delete(stored);
    if (sequence.dependants?.size === 0) sequence.dependants = null;
  }
};

const waitsFor = (state: JobState | undefined, sequence: StoredJob): boolean =>
  state !== undefined && state.blockers.some((link) => link.sequence === sequence);
