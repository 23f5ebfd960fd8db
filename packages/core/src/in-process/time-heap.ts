// A binary heap of jobs, earliest time first, in the order of creation for equal times. Every node has its index, so that
// any job can be removed at once: there are no stale entries.
import type { StoredJob } from "./stored-job.ts";
import { workCount } from "./work-count.ts";

export class HeapNode {
  readonly stored: StoredJob;
  readonly time: number;
  readonly ordinal: number;
  heap: TimeHeap | null = null;
  index = -1;

  constructor(stored: StoredJob, time: number) {
    this.stored = stored;
    this.time = time;
    this.ordinal = stored.ordinal;
  }
}

const isBefore = (left: HeapNode, right: HeapNode): boolean => {
  workCount.steps++;
  return left.time < right.time || (left.time === right.time && left.ordinal < right.ordinal);
};

export class TimeHeap {
  private readonly nodes: HeapNode[] = [];

  get size(): number {
    return this.nodes.length;
  }

  peek(): HeapNode | undefined {
    return this.nodes[0];
  }

  /** In no order. */
  values(): readonly HeapNode[] {
    return this.nodes;
  }

  /**
   * The least value of a function that is at least the time of its node. Subtrees that begin later are not visited. Infinity
   * if there is no node.
   */
  leastOf(valueOf: (node: HeapNode) => number): number {
    let least = Infinity;
    const indexes = [0];
    for (let index = indexes.pop(); index !== undefined; index = indexes.pop()) {
      const node = this.nodes[index];
      if (node === undefined || node.time >= least) continue;
      workCount.steps++;
      least = Math.min(least, valueOf(node));
      indexes.push(2 * index + 2, 2 * index + 1);
    }
    return least;
  }

  /** The earliest times, in order. */
  firstTimes(count: number): readonly number[] {
    const times: number[] = [];
    const open = this.nodes.slice(0, 1);
    while (times.length < count && open.length > 0) {
      let first = 0;
      for (const [place, { time }] of open.entries()) {
        workCount.steps++;
        if (time < (open[first]?.time ?? Infinity)) first = place;
      }
      const [node] = open.splice(first, 1);
      if (node === undefined) break;
      times.push(node.time);
      for (const child of [2 * node.index + 1, 2 * node.index + 2]) {
        const next = this.nodes[child];
        if (next !== undefined) open.push(next);
      }
    }
    return times;
  }

  add(node: HeapNode): void {
    node.heap = this;
    this.nodes.push(node);
    this.siftUp(node, this.nodes.length - 1);
  }

  remove(node: HeapNode): void {
    const last = this.nodes.pop();
    const { index } = node;
    node.heap = null;
    node.index = -1;
    if (last === undefined || last === node) return;
    const parent = this.nodes[(index - 1) >> 1];
    if (index > 0 && parent !== undefined && isBefore(last, parent)) this.siftUp(last, index);
    else this.siftDown(last, index);
  }

  private siftUp(node: HeapNode, from: number): void {
    const { nodes } = this;
    let index = from;
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = nodes[parentIndex];
      if (parent === undefined || !isBefore(node, parent)) break;
      nodes[index] = parent;
      parent.index = index;
      index = parentIndex;
    }
    nodes[index] = node;
    node.index = index;
  }

  private siftDown(node: HeapNode, from: number): void {
    const { nodes } = this;
    let index = from;
    for (;;) {
      let childIndex = 2 * index + 1;
      let child = nodes[childIndex];
      if (child === undefined) break;
      const right = nodes[childIndex + 1];
      if (right !== undefined && isBefore(right, child)) {
        child = right;
        childIndex++;
      }
      if (!isBefore(child, node)) break;
      nodes[index] = child;
      child.index = index;
      index = childIndex;
    }
    nodes[index] = node;
    node.index = index;
  }
}
