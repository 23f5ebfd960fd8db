// Every running job's lease, earliest end first. Those found to have expired stand apart, and their jobs also stand
// among those to take, at their old place: an acquisition meets them in order without looking at the others.
import type { JobCell } from "./job-cell.ts";
import { HeapNode, TimeHeap } from "./time-heap.ts";

export class LeaseIndex {
  private readonly held = new TimeHeap();
  private readonly expired = new TimeHeap();

  add(cell: JobCell, leasedUntil: number): void {
    cell.lease = new HeapNode(cell, leasedUntil);
    this.held.add(cell.lease);
  }

  remove(cell: JobCell): void {
    cell.lease?.heap?.remove(cell.lease);
    cell.lease = null;
  }

  /** Sorts out which leases have expired by now: also back again, if the clock was set back. */
  noticeExpired(now: number): void {
    for (let node = this.held.peek(); node !== undefined && node.time <= now;) {
      this.held.remove(node);
      this.expired.add(node);
      node.cell.queue.add(node.cell, node.cell.state?.scheduledAt ?? 0, now);
      node = this.held.peek();
    }
  }

  /** An expired lease that is none by this clock any more. */
  putBack(cell: JobCell): void {
    const node = cell.lease;
    if (node === null) return;
    cell.queue.remove(cell);
    this.expired.remove(node);
    this.held.add(node);
  }

  /** As if nobody had looked at the time yet. */
  putBackAll(): void {
    for (let cell = this.peekExpired(); cell !== undefined; cell = this.peekExpired()) {
      this.putBack(cell);
    }
  }

  /** The job whose lease expired first; call `noticeExpired` before. */
  peekExpired(): JobCell | undefined {
    return this.expired.peek()?.cell;
  }

  get expiredCount(): number {
    return this.expired.size;
  }

  /** Every running job, in no order. */
  *running(): Generator<JobCell, void> {
    for (const node of this.held.values()) yield node.cell;
    for (const node of this.expired.values()) yield node.cell;
  }
}
