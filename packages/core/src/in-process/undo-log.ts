// What the open statement or transaction has changed, oldest first: each job with the state it had before.
import type { JobCell, JobState } from "./job-cell.ts";

export interface UndoEntry {
  readonly cell: JobCell;
  readonly before: JobState | undefined;
}

export class UndoLog {
  private cells: JobCell[] = [];
  private befores: (JobState | undefined)[] = [];

  /** How long the log is: what `rewind` goes back to. */
  get mark(): number {
    return this.cells.length;
  }

  record(cell: JobCell): void {
    this.cells.push(cell);
    this.befores.push(cell.state);
  }

  /** Takes entries off, newest first, until the log is as long as it was at the mark. */
  rewind(mark: number, undo: (cell: JobCell, before: JobState | undefined) => void): void {
    while (this.cells.length > mark) {
      const cell = this.cells.pop();
      const before = this.befores.pop();
      if (cell !== undefined) undo(cell, before);
    }
  }

  /** Empties the log, and visits every change in it, oldest first. */
  drain(visit: (cell: JobCell) => void): void {
    const { cells } = this;
    this.cells = [];
    this.befores = [];
    for (const cell of cells) visit(cell);
  }

  entriesNewestFirst(): readonly UndoEntry[] {
    return this.cells.map((cell, index) => ({ cell, before: this.befores[index] })).reverse();
  }
}
