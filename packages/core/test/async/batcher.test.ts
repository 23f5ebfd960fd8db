import { expect, it } from "vitest";
import { createBatcher } from "../../src/async/batcher.ts";
import { systemClock } from "../../src/async/clock.ts";
import { createDeferred } from "../../src/async/deferred.ts";

/** Items are their own weight. Batches are recorded, and wait for `release`. */
const open = (bounds: { itemsMax: number; weightMax: number }) => {
  const batches: (readonly number[])[] = [];
  let gate = createDeferred<void>();
  const batcher = createBatcher<number>(
    systemClock,
    { ...bounds, weightOf: (item) => item },
    async (items) => {
      batches.push(items);
      await gate.promise;
    },
  );
  const release = (): void => {
    gate.resolve();
    gate = createDeferred<void>();
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  return { batcher, batches, release, turn };
};

it("takes as many items as a batch may have", async () => {
  const { batcher, batches, release, turn } = open({ itemsMax: 3, weightMax: 1_000 });
  for (let item = 1; item <= 7; item++) batcher.add(item);
  for (let round = 0; round < 3; round++) {
    await turn();
    await turn();
    release();
  }
  await batcher.whenIdle();
  expect(batches).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
});

it("ends a batch before the item that makes it too heavy, and runs a heavier item alone", async () => {
  const { batcher, batches, release, turn } = open({ itemsMax: 100, weightMax: 10 });
  for (const item of [4, 6, 1, 30, 2, 3, 9]) batcher.add(item);
  for (let round = 0; round < 5; round++) {
    await turn();
    await turn();
    release();
  }
  await batcher.whenIdle();
  expect(batches).toEqual([[4, 6], [1], [30], [2, 3], [9]]);
});

it("has room while it holds less than two batches, by count and by weight", async () => {
  const { batcher, release, turn } = open({ itemsMax: 2, weightMax: 10 });
  const items = [1, 1, 1];
  for (const item of items) batcher.add(item);
  expect(batcher.whenRoom()).toBeNull();
  batcher.add(1);
  const byCount = batcher.whenRoom();
  expect(byCount).not.toBeNull();
  await turn();
  release();
  await byCount;
  await turn();
  release();
  await batcher.whenIdle();
  batcher.add(20);
  const byWeight = batcher.whenRoom();
  expect(byWeight).not.toBeNull();
  await turn();
  release();
  await byWeight;
  expect(batcher.whenRoom()).toBeNull();
});
