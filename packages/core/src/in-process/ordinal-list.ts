// Jobs in the order of their creation. Pages start by binary search; a dropped job leaves a hole that is skipped,
// and the holes are closed once they outnumber the jobs, so that removing stays cheap and nothing piles up.
import type { JobCell } from "./job-cell.ts";

/** A list of one that needs no list. */
export const walkOne = (
  cell: JobCell,
  order: "asc" | "desc",
  afterOrdinal: number | null,
): readonly JobCell[] => {
  if (afterOrdinal === null) return [cell];
  const isAfter = order === "asc" ? cell.ordinal > afterOrdinal : cell.ordinal < afterOrdinal;
  return isAfter ? [cell] : [];
};

/** Below this, closing holes is not worth it. */
const compactionSizeMin = 32;

export class OrdinalList {
  private cells: JobCell[] = [];
  private live = 0;

  get size(): number {
    return this.live;
  }

  /** How many places are taken, holes included: what compaction keeps in bounds. */
  get capacity(): number {
    return this.cells.length;
  }

  /** Ordinals only grow, so the newest is always last. */
  append(cell: JobCell): void {
    this.cells.push(cell);
    this.live++;
  }

  /** Call once for a member that has just been marked as dropped. */
  noteDropped(): void {
    this.live--;
    // A rollback drops the newest ones: they need no hole.
    while (this.cells.at(-1)?.dropped === true) this.cells.pop();
    if (this.cells.length > compactionSizeMin && this.live * 2 < this.cells.length) {
      this.cells = this.cells.filter((cell) => !cell.dropped);
    }
  }

  findLast(predicate: (cell: JobCell) => boolean): JobCell | undefined {
    return this.cells.findLast((cell) => !cell.dropped && predicate(cell));
  }

  /** From the start, or from just behind `afterOrdinal`, upwards or downwards. */
  *walk(order: "asc" | "desc", afterOrdinal: number | null): Generator<JobCell, void> {
    const { cells } = this;
    if (order === "asc") {
      const start = afterOrdinal === null ? 0 : this.firstIndexFrom(afterOrdinal + 1);
      for (let index = start; index < cells.length; index++) {
        const cell = cells[index];
        if (cell !== undefined && !cell.dropped) yield cell;
      }
      return;
    }
    const start = afterOrdinal === null ? cells.length : this.firstIndexFrom(afterOrdinal);
    for (let index = start - 1; index >= 0; index--) {
      const cell = cells[index];
      if (cell !== undefined && !cell.dropped) yield cell;
    }
  }

  /** The first place whose ordinal is not below this one. */
  private firstIndexFrom(ordinal: number): number {
    let low = 0;
    let high = this.cells.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.cells[middle]?.ordinal ?? Infinity) < ordinal) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
