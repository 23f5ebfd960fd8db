// The changes of the open statement or transaction, oldest first: each job with its previous state.
import type { StoredJob, JobState } from "./stored-job.ts";

export interface UndoEntry {
  readonly stored: StoredJob;
  readonly before: JobState | undefined;
}

export class UndoLog {
  private jobs: StoredJob[] = [];
  private befores: (JobState | undefined)[] = [];

  /** The length of the log, for `rewind`. */
  get mark(): number {
    return this.jobs.length;
  }

  record(stored: StoredJob): void {
    this.jobs.push(stored);
    this.befores.push(stored.state);
  }

  /** Takes entries off, newest first, until the log is as long as it was at the mark. */
  rewind(mark: number, undo: (stored: StoredJob, before: JobState | undefined) => void): void {
    while (this.jobs.length > mark) {
      const stored = this.jobs.pop();
      const before = this.befores.pop();
      if (stored !== undefined) undo(stored, before);
    }
  }

  /** Empties the log, and visits every change in it, oldest first. */
  drain(visit: (stored: StoredJob) => void): void {
    const { jobs } = this;
    this.jobs = [];
    this.befores = [];
    for (const stored of jobs) visit(stored);
  }

  entriesNewestFirst(): readonly UndoEntry[] {
    return this.jobs.map((stored, index) => ({ stored, before: this.befores[index] })).reverse();
  }
}
