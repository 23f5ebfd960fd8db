// Jobs in the order of their creation. A page starts with a binary search. A dropped job leaves a hole, which walks skip.
// The holes are removed when they outnumber the jobs, so that a removal stays cheap and memory stays bounded.
import type { StoredJob } from "./stored-job.ts";

/** A list of one that needs no list. */
export const walkOne = (
  stored: StoredJob,
  order: "asc" | "desc",
  afterOrdinal: number | null,
): readonly StoredJob[] => {
  if (afterOrdinal === null) return [stored];
  const isAfter = order === "asc" ? stored.ordinal > afterOrdinal : stored.ordinal < afterOrdinal;
  return isAfter ? [stored] : [];
};

/** A shorter list is not compacted. */
const compactionSizeMin = 32;

export class OrdinalList {
  private jobs: StoredJob[] = [];
  private live = 0;

  get size(): number {
    return this.live;
  }

  /** The number of places, holes included. Compaction bounds it. */
  get capacity(): number {
    return this.jobs.length;
  }

  /** Ordinals only grow, so the newest is always last. */
  append(stored: StoredJob): void {
    this.jobs.push(stored);
    this.live++;
  }

  /** Call once for a member that has just been marked as dropped. */
  noteDropped(): void {
    this.live--;
    // A rollback drops the newest ones: they need no hole.
    while (this.jobs.at(-1)?.dropped === true) this.jobs.pop();
    if (this.jobs.length > compactionSizeMin && this.live * 2 < this.jobs.length) {
      this.jobs = this.jobs.filter((stored) => !stored.dropped);
    }
  }

  findLast(predicate: (stored: StoredJob) => boolean): StoredJob | undefined {
    return this.jobs.findLast((stored) => !stored.dropped && predicate(stored));
  }

  /** From the start, or from just behind `afterOrdinal`, upwards or downwards. */
  *walk(order: "asc" | "desc", afterOrdinal: number | null): Generator<StoredJob, void> {
    const { jobs } = this;
    if (order === "asc") {
      const start = afterOrdinal === null ? 0 : this.firstIndexFrom(afterOrdinal + 1);
      for (let index = start; index < jobs.length; index++) {
        const stored = jobs[index];
        if (stored !== undefined && !stored.dropped) yield stored;
      }
      return;
    }
    const start = afterOrdinal === null ? jobs.length : this.firstIndexFrom(afterOrdinal);
    for (let index = start - 1; index >= 0; index--) {
      const stored = jobs[index];
      if (stored !== undefined && !stored.dropped) yield stored;
    }
  }

  /** The first place whose ordinal is not below this one. */
  private firstIndexFrom(ordinal: number): number {
    let low = 0;
    let high = this.jobs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.jobs[middle]?.ordinal ?? Infinity) < ordinal) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
