// The jobs of one type that wait for a worker, or for blockers until some time. Due jobs are in the order of priority, due time and creation. Scheduled jobs
// are in a heap by due time, and move when they are due. An acquisition therefore never visits them, at any number and
// priority.
import type { BatchCondition } from "../adapters/state-adapter-limits.ts";
import type { JobLimitKey } from "../model/state-job.ts";
import { keyId } from "./key-id.ts";
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
  /** Jobs under keys are first at this acquisition, and those without are at the next. */
  keysAreFirst = false;
  /** Of sequences that start with this type. */
  readonly keyedSequences: Map<string, KeyedSequences> = new Map();
  /** The queues of the keys that jobs of the type stand under, the one with the oldest turn first. */
  readonly keys: Map<string, KeyQueue> = new Map();

  private readonly scheduled = new TimeHeap();
  /** Blocked jobs, by the end of their wait. */
  private readonly waiting = new TimeHeap();
  /** Highest priority first; none is empty. */
  private readonly ready: PriorityBucket[] = [];

  constructor(typeName: string) {
    this.typeName = typeName;
  }

  add(stored: StoredJob, time: number, now: number): void {
    const limitKey = stored.state?.limitKey ?? null;
    if (limitKey === null) this.addHere(stored, time, now);
    else this.ofKey(limitKey).addHere(stored, time, now);
  }

  private addHere(stored: StoredJob, time: number, now: number): void {
    const node = new HeapNode(stored, time);
    stored.due = node;
    stored.line = this;
    if (time <= now) this.bucketOf(stored.priority).add(node);
    else this.scheduled.add(node);
  }

  private ofKey(limitKey: JobLimitKey): KeyQueue {
    const id = keyId(limitKey);
    let line = this.keys.get(id);
    if (line === undefined) {
      line = new KeyQueue(this.typeName, limitKey);
      this.keys.set(id, line);
    }
    return line;
  }

  /** A blocked job whose wait ends at this time. */
  addWaiting(stored: StoredJob, until: number): void {
    const node = new HeapNode(stored, until);
    stored.due = node;
    stored.line = this;
    this.waiting.add(node);
  }

  /** A blocked job whose wait has ended. */
  overdue(now: number): StoredJob | undefined {
    const node = this.waiting.peek();
    return node !== undefined && node.time <= now ? node.stored : undefined;
  }

  remove(stored: StoredJob): void {
    stored.line?.removeHere(stored);
    stored.line = null;
  }

  private removeHere(stored: StoredJob): void {
    const node = stored.due;
    const heap = node?.heap ?? null;
    stored.due = null;
    if (node === null || heap === null) return;
    heap.remove(node);
    if (heap.size === 0 && heap !== this.scheduled && heap !== this.waiting) {
      this.ready.splice(this.bucketIndex(stored.priority), 1);
    }
  }

  /** The first due job. With `agingMs`, each such time since the due time counts as one priority. */
  peek(now: number, agingMs: number | null = null): StoredJob | undefined {
    this.promote(now);
    let first: HeapNode | undefined;
    for (const { jobs } of this.ready) {
      const node = jobs.peek();
      // Later than now if the clock was set back after the job was due.
      if (node === undefined || node.time > now) continue;
      if (agingMs === null) return node.stored;
      if (first === undefined || agedTime(node, agingMs) < agedTime(first, agingMs)) first = node;
    }
    return first?.stored;
  }

  /** The earliest due time of a pending job, or end of the wait of a blocked one; undefined if there is no such job. */
  earliest(now: number): number | undefined {
    this.promote(now);
    let earliest = this.scheduled.peek()?.time;
    const heaps = [this.waiting, ...this.ready.map(({ jobs }) => jobs)];
    for (const heap of heaps) {
      const time = heap.peek()?.time;
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
    for (const line of this.keys.values()) {
      earliest = Math.min(earliest, line.readySince(now) ?? Infinity);
    }
    return earliest === Infinity ? undefined : earliest;
  }

  /** How many pending jobs are due, with and without keys. */
  dueCount(now: number): number {
    this.promote(now);
    const isDue = ({ time }: HeapNode): boolean => time <= now;
    const here = this.ready.map(({ jobs }) => jobs.values().filter(isDue).length);
    const lines = [...this.keys.values()].map((line) => line.dueCount(now));
    return [...here, ...lines].reduce((sum, count) => sum + count, 0);
  }

  /** From when the pending jobs can be acquired as a batch, or the wait of a blocked one ends. Infinity: there is no such job. */
  batchAt(now: number, { minSize, maxWaitMs }: BatchCondition): number {
    this.promote(now);
    const heaps = [this.scheduled, ...this.ready.map(({ jobs }) => jobs)];
    const times = heaps.flatMap((heap) => heap.firstTimes(minSize));
    times.sort((left, right) => left - right);
    const since = heaps.map((heap) =>
      heap.leastOf(({ stored, time }) => Math.max(time, stored.state?.releasedAt ?? 0)),
    );
    const endOfWait = this.waiting.peek()?.time ?? Infinity;
    return Math.min(times[minSize - 1] ?? Infinity, Math.min(...since) + maxWaitMs, endOfWait);
  }

  /** The jobs in it that are pending, due or not. */
  get pendingCount(): number {
    const heaps = [this.scheduled, ...this.ready.map(({ jobs }) => jobs)];
    const nodes = heaps.flatMap((heap) => heap.values());
    return nodes.filter(({ stored }) => stored.state?.status === "pending").length;
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

/** The jobs of one type under one key. */
export class KeyQueue extends TypeQueue {
  readonly limitKey: JobLimitKey;
  /** How many jobs of its weight it has started in its turn. Not 0: there was no room for the others. */
  used = 0;

  constructor(typeName: string, limitKey: JobLimitKey) {
    super(typeName);
    this.limitKey = limitKey;
  }
}

/** Of two jobs, the one with the lesser result is first. Equal ones are in the order of their priorities. */
const agedTime = ({ time, stored }: HeapNode, agingMs: number): number =>
  time - stored.priority * agingMs;
