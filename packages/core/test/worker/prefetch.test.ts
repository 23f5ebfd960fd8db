// How many jobs a worker acquires beyond its slots, by the size of their payloads.
import { expect, it } from "vitest";
import type { AcquiredJob } from "../../src/adapters/state-adapter-params.ts";
import { limits } from "../../src/defaults.ts";
import { AcquireState, Slots } from "../../src/worker/acquire-state.ts";

const mebi = 2 ** 20;

/** The part of an acquired job that counts here. */
const ofLength = (length: number, blockerOutputs: readonly number[] = []): AcquiredJob =>
  ({
    job: { input: "x".repeat(length) },
    blockers: blockerOutputs.map((output) => ({ current: { output: "x".repeat(output) } })),
  }) as unknown as AcquiredJob;

/** A worker of one slot whose jobs end at once, so that its speed allows the largest prefetch. */
const open = () => {
  let now = 0;
  let begunCount = 0;
  const slots = new Slots(
    1,
    () => Promise.resolve(),
    () => undefined,
  );
  Object.defineProperty(slots, "begunCount", { get: () => begunCount });
  const state = new AcquireState({ now: () => now }, slots, limits.prefetchMax);
  return {
    state,
    acquire: (...acquired: readonly AcquiredJob[]) => {
      const begunAt = now;
      now += 10;
      begunCount += 10_000;
      state.begin();
      state.end(0, begunAt, acquired);
    },
  };
};

it("is bounded by the characters of the payloads", () => {
  const { state, acquire } = open();
  acquire(ofLength(100));
  expect(state.prefetch).toBe(limits.prefetchMax);
  acquire(ofLength(mebi), ofLength(mebi));
  expect(state.prefetch).toBe(limits.prefetchCharactersMax / mebi);
  expect(state.room).toBe(1 + limits.prefetchCharactersMax / mebi);
});

it("counts the outputs of blockers", () => {
  const { state, acquire } = open();
  acquire(ofLength(0, [mebi, mebi]));
  expect(state.prefetch).toBe(limits.prefetchCharactersMax / (2 * mebi));
});

it("is 0 if one payload is larger than all of it", () => {
  const { state, acquire } = open();
  acquire(ofLength(limits.prefetchCharactersMax + 1));
  expect(state.prefetch).toBe(0);
  expect(state.room).toBe(1);
});

it("grows again with small payloads, over several acquisitions", () => {
  const { state, acquire } = open();
  acquire(ofLength(mebi));
  acquire(ofLength(100));
  expect(state.prefetch).toBeLessThan(2 * (limits.prefetchCharactersMax / mebi));
  // An acquisition without a job says nothing about sizes.
  const before = state.prefetch;
  acquire();
  expect(state.prefetch).toBe(before);
  for (let round = 0; round < 40; round++) acquire(ofLength(100));
  expect(state.prefetch).toBe(limits.prefetchMax);
});
