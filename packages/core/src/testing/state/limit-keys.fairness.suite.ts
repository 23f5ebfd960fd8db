// Fairness by counts: how many jobs each key has started, and how many acquisitions a key waits for. No case looks at a clock.
import { expect } from "vitest";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateCaseContext } from "../state-harness.ts";
import { defineStateSuite, type StateSuite } from "../state-suite.ts";
import { acquireOf, keysOf, keysTaken, manyUnder, setPerKey, under } from "./limit-key-steps.ts";

const keys = ["a", "b", "c", "d", "e"];

const setWeights = (adapter: AnyStateAdapter, weight: number): Promise<readonly boolean[]> => {
  const bounds = { concurrency: null, rate: null, weight };
  return keysOf(adapter).setLimitKeys({
    keys: keys.map((key) => ({ limitName: "task", key, bounds })),
  });
};

/** The keys of the jobs that an acquisition starts. Two processes take turns. Each job is completed at once. */
const startedKeys = async (
  test: StateCaseContext,
  call: number,
  limit: number,
): Promise<readonly string[]> => {
  const isFirst = call % 2 === 0;
  const steps = isFirst ? test.steps : test.secondSteps;
  const adapter = isFirst ? test.stateAdapter : test.secondStateAdapter;
  const taken = await acquireOf(adapter, ["task"], { limit });
  for (const { job } of taken.jobs) await steps.complete(job);
  return keysTaken(taken);
};

const roomOfCall = 20;
const others = Array.from({ length: 200 }, (_, index) => `other ${index}`);

/** How many acquisitions it takes until each of the others has started. */
const acquisitionsUntilServed = async (test: StateCaseContext): Promise<number> => {
  const waiting = new Set(others);
  let count = 0;
  while (waiting.size > 0) {
    for (const key of await startedKeys(test, count++, roomOfCall)) waiting.delete(key);
    if (count > 3 * others.length) throw new Error(`${waiting.size} keys were not served`);
  }
  return count;
};

export const fairnessOfKeysSuite: StateSuite = defineStateSuite(
  "limits by key, fairness",
  (rule) => {
    for (const weight of [1, 3]) {
      rule(
        `over a round of keys of weight ${weight}, none starts more than the weight ahead of another`,
        async (test) => {
          await setWeights(test.stateAdapter, weight);
          for (const key of keys) await test.steps.create(...manyUnder(key, 4 * weight));
          for (let round = 0; round < 4; round++) {
            const limit = keys.length * weight;
            const started = await startedKeys(test, round, limit);
            expect(started).toHaveLength(limit);
            const served = keys.map((key) => started.filter((each) => each === key).length);
            expect(Math.max(...served) - Math.min(...served)).toBeLessThanOrEqual(weight);
          }
        },
      );
    }

    for (const concurrency of [1, null]) {
      rule(
        `a key with many jobs in front, ${concurrency === null ? "without a bound" : "at its bound"}: the others need hardly more acquisitions`,
        async (test) => {
          if (concurrency !== null) await setPerKey(test.stateAdapter, concurrency);
          const createOthers = () => test.steps.create(...others.map((key) => under(key)));
          await createOthers();
          const alone = await acquisitionsUntilServed(test);
          await test.steps.create(...manyUnder("noisy", 1_500));
          await createOthers();
          const behind = await acquisitionsUntilServed(test);
          expect(behind / alone).toBeLessThanOrEqual(1.2);
        },
      );
    }
  },
);
