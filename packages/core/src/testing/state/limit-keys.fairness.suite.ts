// Fairness by counts: how many jobs each key has started, and how many acquisitions a key waits for. No case looks at a clock.
import { expect } from "vitest";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateCaseContext } from "../state-harness.ts";
import type { StateJob } from "../../model/state-job.ts";
import { type Random, seededRandom } from "../random.ts";
import { defineStateSuite, type StateSuite } from "../state-suite.ts";
import { acquireOf, keysOf, keysTaken, manyUnder, setPerKey, under } from "./limit-key-steps.ts";

const keys = ["a", "b", "c", "d", "e"];

const setWeights = (adapter: AnyStateAdapter, weight: number): Promise<readonly boolean[]> => {
  const bounds = { concurrency: null, rate: null, weight };
  return keysOf(adapter).setLimitKeys({
    keys: keys.map((key) => ({ limitName: "task", key, bounds })),
  });
};

/** Acquires jobs. Two processes take turns. */
const acquireInTurns = (test: StateCaseContext, call: number, limit: number) =>
  acquireOf(call % 2 === 0 ? test.stateAdapter : test.secondStateAdapter, ["task"], { limit });

/** The keys of the jobs that an acquisition starts. Each job is completed at once. */
const startedKeys = async (
  test: StateCaseContext,
  call: number,
  limit: number,
): Promise<readonly string[]> => {
  const steps = call % 2 === 0 ? test.steps : test.secondSteps;
  const taken = await acquireInTurns(test, call, limit);
  for (const { job } of taken.jobs) await steps.complete(job);
  return keysTaken(taken);
};

const roomMax = 9;
const callCount = 25;
const jobsPerKey = Math.ceil((callCount * roomMax) / keys.length);

/** As many jobs of each key as all calls could start. Keys come one after the other: `a`, `b`, …, `a`, `b`, … */
const createForAllCalls = (test: StateCaseContext): Promise<unknown> =>
  test.steps.create(
    ...Array.from({ length: jobsPerKey }, () => keys.map((key) => under(key))).flat(),
  );

/** How many jobs the key ahead of all has started more than the last one. */
const leadOf = (served: readonly string[]): number => {
  const counts = keys.map((key) => served.filter((each) => each === key).length);
  return Math.max(...counts) - Math.min(...counts);
};

const completeAll = async (adapter: AnyStateAdapter, jobs: readonly StateJob[]): Promise<void> => {
  const outcome = { kind: "output", output: '"done"' } as const;
  const completions = jobs.map(({ id, leaseVersion }) => ({ jobId: id, leaseVersion, outcome }));
  await adapter.completeJobs({ workerId: "worker-1", completions });
};

const countUpTo = (max: number, random: Random): number => 1 + Math.floor(random() * max);

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
            expect(leadOf(started)).toBeLessThanOrEqual(weight);
          }
        },
      );
    }

    for (const weight of [1, 2]) {
      rule(
        `over acquisitions of all sizes, no key of weight ${weight} starts more than the weight ahead of another`,
        async (test) => {
          const random = seededRandom(test.seed);
          await setWeights(test.stateAdapter, weight);
          await createForAllCalls(test);
          const served: string[] = [];
          for (let call = 0; call < callCount; call++) {
            const limit = countUpTo(roomMax, random);
            const started = await startedKeys(test, call, limit);
            expect(started).toHaveLength(limit);
            served.push(...started);
            expect(leadOf(served), `after call ${call}`).toBeLessThanOrEqual(weight);
          }
        },
      );
    }

    rule(
      "over acquisitions of all sizes, no key at its bound starts more than one job ahead of another",
      async (test) => {
        const random = seededRandom(test.seed);
        await setPerKey(test.stateAdapter, 1);
        await createForAllCalls(test);
        const served: string[] = [];
        const running: StateJob[] = [];
        for (let call = 0; call < callCount; call++) {
          const taken = await acquireInTurns(test, call, countUpTo(keys.length, random));
          // The keys were created in turns, so the order of creation is that of the starts.
          running.push(
            ...taken.jobs.map(({ job }) => job).sort((one, other) => one.ordinal - other.ordinal),
          );
          served.push(...keysTaken(taken));
          expect(leadOf(served), `after call ${call}`).toBeLessThanOrEqual(1);
          const ended = running.splice(0, countUpTo(running.length, random));
          await completeAll(test.stateAdapter, ended);
        }
      },
    );

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
