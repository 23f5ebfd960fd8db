// The jobs of one type that wait for a worker. Due ones stand by priority, then due time, then creation; the others
// stand apart by due time and move over when it has come, so that however many are scheduled, and with
// whatever priority, taking a due job never meets them.
import type { JobStatus } from "../model/status.ts";
import type { KeyedSequences } from "./deduplication-index.ts";
import type { JobCell } from "./job-cell.ts";
import { HeapNode, TimeHeap } from "./time-heap.ts";

interface PriorityBucket {
  readonly priority: number;
  readonly jobs: TimeHeap;
}

export class TypeQueue {
  readonly typeName: string;
  /** How many jobs there are in each status. */
  readonly counts: Record<JobStatus, number> = {
    blocked: 0,
    pending: 0,
    running: 0,
    completed: 0,
    failed: 0,
  };
  /** When the type last had its turn: who waits longest goes first. */
  lastTurn = 0;
  /** Of sequences that start with this type. */
  readonly keyedSequences: Map<string, KeyedSequences> = new Map();

  private readonly scheduled = new TimeHeap();
  /** Highest priority first; none is empty. */
  private readonly ready: PriorityBucket[] = [];

  constructor(typeName: string) {
    this.typeName = typeName;
  }

  add(cell: JobCell, time: number, now: number): void {
    const node = new HeapNode(cell, time);
    cell.due = node;
    if (time <= now) this.bucketOf(cell.priority).add(node);
    else this.scheduled.add(node);
  }

  remove(cell: JobCell): void {
    const node = cell.due;
    const heap = node?.heap ?? null;
    cell.due = null;
    if (node === null || heap === null) return;
    heap.remove(node);
    if (heap.size === 0 && heap !== this.scheduled) {
      this.ready.splice(this.bucketIndex(cell.priority), 1);
    }
  }

  /** The job to take first, if one is due. */
  peek(now: number): JobCell | undefined {
    this.promote(now);
    for (const { jobs } of this.ready) {
      const node = jobs.peek();
      // Later than now only if the clock was set back after the job had become due.
      if (node !== undefined && node.time <= now) return node.cell;
    }
    return undefined;
  }

  /** The earliest time at which a job that is not taken yet is or was due; undefined if there is none. */
  earliest(now: number): number | undefined {
    this.promote(now);
    let earliest = this.scheduled.peek()?.time;
    for (const { jobs } of this.ready) {
      const time = jobs.peek()?.time;
      if (time !== undefined && (earliest === undefined || time < earliest)) earliest = time;
    }
    return earliest;
  }

  /** How many priorities have due jobs: none is kept for the others. */
  get bucketCount(): number {
    return this.ready.length;
  }

  private promote(now: number): void {
    for (;;) {
      const node = this.scheduled.peek();
      if (node === undefined || node.time > now) return;
      this.scheduled.remove(node);
      this.bucketOf(node.cell.priority).add(node);
    }
  }

  private bucketOf(priority: number): TimeHeap {
    const index = this.bucketIndex(priority);
    const found = this.ready[index];
    if (found?.priority === priority) return found.jobs;
    const jobs = new TimeHeap();
    this.ready.splice(index, 0, { priority, jobs });
    return jobs;
  }

  /** Where the bucket of this priority is, or would go. */
  private bucketIndex(priority: number): number {
    let low = 0;
    let high = this.ready.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.ready[middle]?.priority ?? -Infinity) > priority) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
