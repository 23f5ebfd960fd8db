// Maps and indexes. Everything that can be derived from a job's state is kept in step by one function, `apply`, from the
// state before and the state after. Undoing a change is applying it the other way round, so a rollback restores
// every index by the same code that moved it. Lists that readers outside the transaction walk, too, are different:
// a job enters them when it is inserted and leaves them when its absence is committed.
import { isFinished } from "../model/status.ts";
import type { NewStateJob } from "../adapters/state-adapter-params.ts";
import { addKeyed, dropKeyed, refreshKeyed } from "./deduplication-index.ts";
import { type BlockerLink, JobCell, type JobState, noBlockers } from "./job-cell.ts";
import { FinishedTrees, JobTree } from "./job-tree.ts";
import { LeaseIndex } from "./lease-index.ts";
import { OrdinalList } from "./ordinal-list.ts";
import { TypeQueue } from "./type-queue.ts";
import { UndoLog } from "./undo-log.ts";

export class Store {
  readonly cells: Map<string, JobCell> = new Map();
  readonly jobs: OrdinalList = new OrdinalList();
  /** The first job of every sequence. */
  readonly sequences: OrdinalList = new OrdinalList();
  readonly queues: Map<string, TypeQueue> = new Map();
  readonly leases: LeaseIndex = new LeaseIndex();
  readonly finishedTrees: FinishedTrees = new FinishedTrees();
  readonly failedJobs: Set<JobCell> = new Set();
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

  /** The first job of a sequence, if there is such a sequence for the writer. */
  sequence(id: string): JobCell | undefined {
    const cell = this.cells.get(id);
    return cell?.state !== undefined && cell.first === cell ? cell : undefined;
  }

  tree(rootSequenceId: string): JobTree | undefined {
    const tree = this.cells.get(rootSequenceId)?.tree;
    return tree?.rootSequenceId === rootSequenceId ? tree : this.rootlessTrees.get(rootSequenceId);
  }

  /** A new job, as the last of the sequence that starts with `first`, or as the first of its own. */
  insert(id: string, job: NewStateJob, state: JobState, first: JobCell | null): JobCell {
    const ordinal = ++this.lastOrdinal;
    const tree = first?.tree ?? this.treeFor(job.rootSequenceId ?? id, id);
    const queue = this.queueOf(job.typeName);
    const cell = new JobCell(job, { id, ordinal, createdAt: this.now, first, tree, queue });
    this.cells.set(id, cell);
    this.jobs.append(cell);
    cell.tree.add(cell);
    if (first === null) {
      this.sequences.append(cell);
      if (cell.deduplicationKey !== null) addKeyed(cell, cell.deduplicationKey);
    } else {
      if (first.chain === null) {
        first.chain = new OrdinalList();
        first.chain.append(first);
      }
      first.chain.append(cell);
    }
    this.put(cell, state);
    return cell;
  }

  /** Replaces a job's state; undefined deletes it. */
  put(cell: JobCell, state: JobState | undefined): void {
    this.undoLog.record(cell);
    this.apply(cell, state);
  }

  /** Where a statement begins: what `rollbackTo` goes back to. */
  get savepoint(): number {
    return this.undoLog.mark;
  }

  rollbackTo(savepoint: number): void {
    this.undoLog.rewind(savepoint, (cell, before) => {
      this.apply(cell, before);
      if (before === undefined && cell.committed === undefined) this.drop(cell);
    });
  }

  /** Shows everybody what has been written since the last commit. */
  commit(): void {
    this.undoLog.drain((cell) => {
      const old = cell.committed?.blockers ?? noBlockers;
      cell.committed = cell.state;
      unlinkBlockers(cell, old);
      if (cell.state === undefined && !cell.dropped) this.drop(cell);
    });
  }

  /**
   * Runs the callback with every index as it was at the last commit, then puts the open transaction's
   * writes back: for reads that go through an index which knows one view only.
   */
  withCommittedIndexes<T>(callback: () => T): T {
    const redo = this.undoLog.entriesNewestFirst().map(({ cell, before }) => {
      const after = cell.state;
      this.apply(cell, before);
      return { cell, after };
    });
    try {
      return callback();
    } finally {
      for (const { cell, after } of redo.reverse()) this.apply(cell, after);
    }
  }

  private apply(cell: JobCell, after: JobState | undefined): void {
    const before = cell.state;
    cell.state = after;
    const { counts } = cell.queue;
    if (before?.status !== after?.status) {
      if (before !== undefined) counts[before.status]--;
      if (after !== undefined) counts[after.status]++;
      if (before?.status === "failed") this.failedJobs.delete(cell);
      if (after?.status === "failed") this.failedJobs.add(cell);
      cell.tree.changed(before, after);
    }
    this.place(cell, before, after);
    if (cell.first.deduplicationKey !== null) {
      refreshKeyed(cell.first, cell.first.deduplicationKey);
    }
    linkBlockers(cell, before, after);
  }

  /** Keeps the job among those to take, or among those leased, or in neither. */
  private place(cell: JobCell, before: JobState | undefined, after: JobState | undefined): void {
    if (before !== undefined && after !== undefined && isSamePlace(before, after)) return;
    if (cell.due !== null) cell.queue.remove(cell);
    if (cell.lease !== null) this.leases.remove(cell);
    if (after === undefined) return;
    if (after.status === "pending") cell.queue.add(cell, after.scheduledAt, this.now);
    if (after.leasedUntil !== null) this.leases.add(cell, after.leasedUntil);
  }

  private treeFor(rootSequenceId: string, id: string): JobTree {
    const known = rootSequenceId === id ? undefined : this.tree(rootSequenceId);
    if (known !== undefined) return known;
    const tree = new JobTree(rootSequenceId, this.finishedTrees);
    if (rootSequenceId !== id) this.rootlessTrees.set(rootSequenceId, tree);
    return tree;
  }

  private drop(cell: JobCell): void {
    const { first, tree } = cell;
    cell.dropped = true;
    this.cells.delete(cell.id);
    this.jobs.noteDropped();
    tree.drop();
    if (tree.isEmpty) this.rootlessTrees.delete(tree.rootSequenceId);
    first.chain?.noteDropped();
    if (first !== cell) return;
    this.sequences.noteDropped();
    if (cell.deduplicationKey !== null) dropKeyed(cell, cell.deduplicationKey);
  }
}

const isSamePlace = (before: JobState, after: JobState): boolean =>
  before.status === after.status &&
  (isFinished(before.status) ||
    (before.scheduledAt === after.scheduledAt && before.leasedUntil === after.leasedUntil));

/** From a blocking sequence to the jobs that wait for it. */
const linkBlockers = (
  cell: JobCell,
  before: JobState | undefined,
  after: JobState | undefined,
): void => {
  const old = before?.blockers ?? noBlockers;
  const current = after?.blockers ?? noBlockers;
  if (old === current) return;
  unlinkBlockers(cell, old);
  for (const { sequence } of current) {
    sequence.dependants ??= new Set();
    sequence.dependants.add(cell);
  }
};

/** A link stays while anybody may follow it: the writer, or readers of what is committed. */
const unlinkBlockers = (cell: JobCell, old: readonly BlockerLink[]): void => {
  if (old === cell.state?.blockers) return;
  for (const { sequence } of old) {
    if (waitsFor(cell.state, sequence) || waitsFor(cell.committed, sequence)) continue;
    sequence.dependants?.delete(cell);
    if (sequence.dependants?.size === 0) sequence.dependants = null;
  }
};

const waitsFor = (state: JobState | undefined, sequence: JobCell): boolean =>
  state !== undefined && state.blockers.some((link) => link.sequence === sequence);
