// The jobs of one type that wait for a worker. Due jobs are in the order of priority, due time and creation. Scheduled jobs
// are in a heap by due time, and move when they are due. An acquisition therefore never visits them, at any number and
// priority.
import type { JobStatus } from "../model/status.ts";
import type { KeyedSequences } from "./deduplication-index.ts";
import type { StoredJob } from "./stored-job.ts";
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
    cancelled: 0,
  };
  /** The last turn of the type: the type with the oldest one is first. */
  lastTurn = 0;
  /** Of sequences that start with this type. */
  readonly keyedSequences: Map<string, KeyedSequences> = new Map();

  private readonly scheduled = new TimeHeap();
  /** Highest priority first; none is empty. */
  private readonly ready: PriorityBucket[] = [];

  constructor(typeName: string) {
    this.typeName = typeName;
  }

  add(stored: StoredJob, time: number, now: number): void {
    const node = new HeapNode(stored, time);
    stored.due = node;
    if (time <= now) this.bucketOf(stored.priority).add(node);
    else this.scheduled.add(node);
  }

  remove(stored: StoredJob): void {
    const node = stored.due;
    const heap = node?.heap ?? null;
    stored.due = null;
    if (node === null || heap === null) return;
    heap.remove(node);
    if (heap.size === 0 && heap !== this.scheduled) {
      this.ready.splice(this.bucketIndex(stored.priority), 1);
    }
  }

  /** The first due job. */
  peek(now: number): StoredJob | undefined {
    this.promote(now);
    for (const { jobs } of this.ready) {
      const node = jobs.peek();
      // Later than now if the clock was set back after the job was due.
      if (node !== undefined && node.time <= now) return node.stored;
    }
    return undefined;
  }

  /** The earliest due time of a pending job; undefined if there is no such job. */
  earliest(now: number): number | undefined {
    this.promote(now);
    let earliest = this.scheduled.peek()?.time;
    for (const { jobs } of this.ready) {
      const time = jobs.peek()?.time;
      if (time !== undefined && (earliest === undefined || time < earliest)) earliest = time;
    }
    return earliest;
  }

  /** Since when the longest-waiting due job could have run: the time that it was blocked does not count. */
  readySince(now: number): number | undefined {
    this.promote(now);
    let earliest = Infinity;
    for (const { jobs } of this.ready) {
      const since = jobs.leastOf(({ stored, time }) =>
        // Later than now if the clock was set back after the job was due.
        time > now ? Infinity : Math.max(time, stored.state?.releasedAt ?? 0),
      );
      earliest = Math.min(earliest, since);
    }
    return earliest === Infinity ? undefined : earliest;
  }

  /** The number of priorities with due jobs. */
  get bucketCount(): number {
    return this.ready.length;
  }

  private promote(now: number): void {
    for (;;) {
      const node = this.scheduled.peek();
      if (node === undefined || node.time > now) return;
      this.scheduled.remove(node);
      this.bucketOf(node.stored.priority).add(node);
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
