// A root sequence and all sequences that were started for it. Retention deletes whole trees, the longest finished first.
// Trees without an unfinished job are a linked list in that order, updated when jobs finish.
import { isUnfinished, type JobState, type StoredJob } from "./stored-job.ts";
import { OrdinalList, walkOne } from "./ordinal-list.ts";
import { workCount } from "./work-count.ts";

export class JobTree {
  readonly rootSequenceId: string;
  /** All jobs of the tree once there are two; most trees have one, and there may be millions of them. */
  private jobs: OrdinalList | null = null;
  private onlyJob: StoredJob | null = null;
  /** In the version of the open transaction, as the next count. */
  private presentCount = 0;
  private unfinishedCount = 0;
  private finishedAt = 0;
  private readonly finished: FinishedTrees;
  older: JobTree | null = null;
  newer: JobTree | null = null;

  constructor(rootSequenceId: string, finished: FinishedTrees) {
    this.rootSequenceId = rootSequenceId;
    this.finished = finished;
  }

  get isEmpty(): boolean {
    return this.jobs === null ? this.onlyJob === null : this.jobs.size === 0;
  }

  /** When the last of its jobs finished; without meaning while one is unfinished. */
  get lastFinishedAt(): number {
    return this.finishedAt;
  }

  add(stored: StoredJob): void {
    if (this.jobs === null && this.onlyJob === null) {
      this.onlyJob = stored;
      return;
    }
    if (this.jobs === null) {
      this.jobs = new OrdinalList();
      if (this.onlyJob !== null) this.jobs.append(this.onlyJob);
      this.onlyJob = null;
    }
    this.jobs.append(stored);
  }

  /** After the job has been marked as dropped. */
  drop(): void {
    this.jobs?.noteDropped();
    this.onlyJob = null;
  }

  changed(before: JobState | undefined, after: JobState | undefined): void {
    const change = (isUnfinished(after) ? 1 : 0) - (isUnfinished(before) ? 1 : 0);
    this.presentCount += (after === undefined ? 0 : 1) - (before === undefined ? 0 : 1);
    this.unfinishedCount += change;
    if (this.presentCount === 0 || this.unfinishedCount > 0) this.finished.remove(this);
    else {
      this.finishedAt = this.latestFinish(after?.finishedAt ?? 0);
      this.finished.add(this);
    }
  }

  /** Usually the last change has the latest time. It has not if a change is undone. */
  private latestFinish(candidate: number): number {
    if (candidate >= this.finishedAt) return candidate;
    let latest = 0;
    for (const { state } of this.walk("asc", null)) {
      latest = Math.max(latest, state?.finishedAt ?? 0);
    }
    return latest;
  }

  walk(order: "asc" | "desc", afterOrdinal: number | null): Iterable<StoredJob> {
    if (this.jobs !== null) return this.jobs.walk(order, afterOrdinal);
    return this.onlyJob === null ? [] : walkOne(this.onlyJob, order, afterOrdinal);
  }
}

/** Trees without an unfinished job, the longest finished first. */
export class FinishedTrees {
  private oldest: JobTree | null = null;
  private newest: JobTree | null = null;

  add(tree: JobTree): void {
    this.remove(tree);
    // Nearly always the newest. Not after a rollback, nor when the clock was set back.
    let older = this.newest;
    while (older !== null && older.lastFinishedAt > tree.lastFinishedAt) {
      workCount.steps++;
      older = older.older;
    }
    const newer = older === null ? this.oldest : older.newer;
    tree.older = older;
    tree.newer = newer;
    if (older === null) this.oldest = tree;
    else older.newer = tree;
    if (newer === null) this.newest = tree;
    else newer.older = tree;
  }

  remove(tree: JobTree): void {
    const { older, newer } = tree;
    if (older === null && newer === null && this.oldest !== tree) return;
    if (older === null) this.oldest = newer;
    else older.newer = newer;
    if (newer === null) this.newest = older;
    else newer.older = older;
    tree.older = null;
    tree.newer = null;
  }

  *walk(): Generator<JobTree, void> {
    for (let tree = this.oldest; tree !== null;) {
      // The caller may delete the tree before it asks for the next one.
      const { newer } = tree;
      yield tree;
      tree = newer;
    }
  }
}
