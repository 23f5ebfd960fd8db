// The lease of every running job, earliest end first. Leases that are known to have expired are in a heap of their own.
// Their jobs are also among the jobs to acquire, at their old place, so that an acquisition finds them in order.
import type { StoredJob } from "./stored-job.ts";
import { HeapNode, TimeHeap } from "./time-heap.ts";

export class LeaseIndex {
  private readonly held = new TimeHeap();
  private readonly expired = new TimeHeap();

  add(stored: StoredJob, leasedUntil: number): void {
    stored.lease = new HeapNode(stored, leasedUntil);
    this.held.add(stored.lease);
  }

  remove(stored: StoredJob): void {
    stored.lease?.heap?.remove(stored.lease);
    stored.lease = null;
  }

  /** Moves the leases that have expired by now. */
  noticeExpired(now: number): void {
    for (let node = this.held.peek(); node !== undefined && node.time <= now;) {
      this.held.remove(node);
      this.expired.add(node);
      node.stored.queue.add(node.stored, node.stored.state?.scheduledAt ?? 0, now);
      node = this.held.peek();
    }
  }

  /** Moves back a lease that has not expired, because the clock was set back. */
  putBack(stored: StoredJob): void {
    const node = stored.lease;
    if (node === null) return;
    stored.queue.remove(stored);
    this.expired.remove(node);
    this.held.add(node);
  }

  /** Moves back all expired leases. */
  putBackAll(): void {
    for (let stored = this.peekExpired(); stored !== undefined; stored = this.peekExpired()) {
      this.putBack(stored);
    }
  }

  /** The job whose lease expired first; call `noticeExpired` before. */
  peekExpired(): StoredJob | undefined {
    return this.expired.peek()?.stored;
  }

  get expiredCount(): number {
    return this.expired.size;
  }

  /** Every running job, in no order. */
  *running(): Generator<StoredJob, void> {
    for (const node of this.held.values()) yield node.stored;
    for (const node of this.expired.values()) yield node.stored;
  }
}
