import { describe, expect, it } from "vitest";
import type { NewEntryJob } from "../../src/adapters/state-adapter-params.ts";
import { StoredJob } from "../../src/in-process/stored-job.ts";
import { FinishedTrees, JobTree } from "../../src/in-process/job-tree.ts";
import { OrdinalList } from "../../src/in-process/ordinal-list.ts";
import { HeapNode, TimeHeap } from "../../src/in-process/time-heap.ts";
import { TypeQueue } from "../../src/in-process/type-queue.ts";
import { extendWithCommon } from "../../src/testing/extend-with-common.ts";
import { aJob } from "../../src/testing/factories.ts";

const seededIt = extendWithCommon(it);

const queue = new TypeQueue("task");

const aStoredJob = (ordinal: number, job: Partial<NewEntryJob> = {}): StoredJob =>
  new StoredJob(aJob(job), {
    id: `job-${ordinal}`,
    ordinal,
    createdAt: 0,
    first: null,
    tree: new JobTree(`job-${ordinal}`, new FinishedTrees()),
    queue,
  });

describe("a heap by time", () => {
  seededIt(
    "gives the earliest first, also after others were taken out of the middle",
    ({ random }) => {
      const heap = new TimeHeap();
      const nodes = new Set<HeapNode>();
      for (let ordinal = 0; ordinal < 2_000; ordinal++) {
        const node = new HeapNode(aStoredJob(ordinal), Math.floor(random() * 300));
        heap.add(node);
        nodes.add(node);
        if (random() < 0.4) {
          const victim = [...nodes][Math.floor(random() * nodes.size)];
          if (victim === undefined) continue;
          heap.remove(victim);
          nodes.delete(victim);
        }
      }
      const expected = [...nodes].toSorted(
        (left, right) => left.time - right.time || left.ordinal - right.ordinal,
      );
      const taken: HeapNode[] = [];
      for (let node = heap.peek(); node !== undefined; node = heap.peek()) {
        heap.remove(node);
        taken.push(node);
      }
      expect(taken).toEqual(expected);
      expect(heap.size).toBe(0);
    },
  );
});

describe("the jobs of a type", () => {
  it("keep no bucket of a priority without jobs", () => {
    const own = new TypeQueue("own");
    const storedJobs = Array.from({ length: 500 }, (_, index) =>
      aStoredJob(index, { priority: index }),
    );
    for (const stored of storedJobs) own.add(stored, 0, 0);
    const order: number[] = [];
    for (let stored = own.peek(0); stored !== undefined; stored = own.peek(0)) {
      own.remove(stored);
      order.push(stored.priority);
    }
    expect(order).toEqual(storedJobs.map(({ priority }) => priority).reverse());
    expect(own.bucketCount).toBe(0);
  });

  it("become due by the clock, and wait again when it is set back", () => {
    const own = new TypeQueue("own");
    const [early, late] = [aStoredJob(1, { priority: 0 }), aStoredJob(2, { priority: 9 })];
    own.add(late, 20, 0);
    own.add(early, 10, 0);
    expect(own.peek(9)).toBeUndefined();
    expect(own.earliest(9)).toBe(10);
    expect(own.peek(10)).toBe(early);
    expect(own.peek(20)).toBe(late);
    expect(own.peek(15)).toBe(early);
    expect(own.peek(5)).toBeUndefined();
    expect(own.earliest(5)).toBe(10);
  });
});

describe("a list by ordinal", () => {
  const ordinals = (storedJobs: Iterable<StoredJob>): number[] =>
    [...storedJobs].map(({ ordinal }) => ordinal);

  it("starts behind a cursor in either direction, over holes", () => {
    const list = new OrdinalList();
    const storedJobs = Array.from({ length: 10 }, (_, index) => aStoredJob(index * 10));
    for (const stored of storedJobs) list.append(stored);
    for (const index of [0, 3, 4, 9]) {
      const stored = storedJobs[index];
      if (stored === undefined) throw new Error("no such stored");
      stored.dropped = true;
      list.noteDropped();
    }
    expect(ordinals(list.walk("asc", null))).toEqual([10, 20, 50, 60, 70, 80]);
    expect(ordinals(list.walk("asc", 20))).toEqual([50, 60, 70, 80]);
    expect(ordinals(list.walk("asc", 35))).toEqual([50, 60, 70, 80]);
    expect(ordinals(list.walk("desc", 60))).toEqual([50, 20, 10]);
    expect(ordinals(list.walk("desc", 55))).toEqual([50, 20, 10]);
    expect(list.size).toBe(6);
  });

  it("closes its holes once they outnumber the jobs", () => {
    const list = new OrdinalList();
    const storedJobs = Array.from({ length: 10_000 }, (_, index) => aStoredJob(index));
    for (const stored of storedJobs) list.append(stored);
    for (const stored of storedJobs.slice(0, 9_990)) {
      stored.dropped = true;
      list.noteDropped();
      expect(list.capacity).toBeLessThanOrEqual(Math.max(32, 2 * list.size));
    }
    expect(ordinals(list.walk("asc", null))).toHaveLength(10);
  });
});
