import { expect } from "vitest";
import type { BatchCondition } from "../../adapters/state-adapter-limits.ts";
import type { AcquireJobsResult } from "../../adapters/state-adapter-params.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { minuteMs } from "../factories.ts";
import { defineStateSuite, type StateSuite } from "../state-suite.ts";
import { within } from "../waiting.ts";
import {
  keysOf,
  keysTaken,
  manyUnder,
  setLimit,
  setPerKey,
  slowRate,
  under,
} from "./limit-key-steps.ts";

const plain = { input: '"plain"' };
const longAgo = () => ({ schedule: { at: new Date(Date.now() - 60 * minuteMs) } });

/** Looks for a batch of one key. By age only a job of long ago is enough. */
const look = (
  { acquireJobs }: AnyStateAdapter,
  batch: Partial<BatchCondition> = {},
  { limit = 10, leaseMs = minuteMs }: Partial<Record<"limit" | "leaseMs", number>> = {},
): Promise<AcquireJobsResult> => {
  const condition = { minSize: 3, maxWaitMs: 10 * minuteMs, perKey: true, ...batch };
  const types = [{ typeName: "task", leaseMs, limit, batch: condition }];
  return acquireJobs({ workerId: "w", limit, types });
};

/** All batches that are ripe, each as the keys of its jobs. */
const lookAll = async (
  adapter: AnyStateAdapter,
  batch?: Partial<BatchCondition>,
  limit = 10,
): Promise<readonly (readonly string[])[]> => {
  const found: (readonly string[])[] = [];
  for (;;) {
    const keys = keysTaken(await look(adapter, batch, { limit }));
    if (keys.length === 0) return found;
    found.push(keys);
  }
};

export const batchesOfKeysSuite: StateSuite = defineStateSuite("limits by key, batches", (rule) => {
  rule(
    "A `batch` with `perKey`: the jobs that are acquired of the type are of one key, or without a key.",
    async ({ steps, stateAdapter }) => {
      await steps.create(
        ...[under("a"), under("b"), plain, under("a"), plain, under("b"), under("b"), plain],
      );
      const batches = await lookAll(stateAdapter, { minSize: 1 });
      expect(batches.map((keys) => [...new Set(keys)]).toSorted()).toEqual([
        ["a"],
        ["b"],
        ["plain"],
      ]);
      expect(batches.map(({ length }) => length).toSorted()).toEqual([2, 3, 3]);
    },
  );

  rule(
    "Each key is a batch of its own, with its own `minSize` and `maxWaitMs`.",
    async ({ steps, stateAdapter }) => {
      await steps.create(...manyUnder("a", 2), ...manyUnder("b", 2), plain, plain);
      expect(await lookAll(stateAdapter)).toEqual([]);
      await steps.create(under("b", { priority: -1 }));
      expect(await lookAll(stateAdapter)).toEqual([["b", "b", "b"]]);
      await steps.create(under("a", longAgo()), under("c", longAgo()));
      expect(new Set(await lookAll(stateAdapter))).toEqual(new Set([["a", "a", "a"], ["c"]]));
      await steps.create(plain, under("a"));
      expect(await lookAll(stateAdapter)).toEqual([["plain", "plain", "plain"]]);
      await steps.create(...manyUnder("a", 4));
      expect(await lookAll(stateAdapter, {}, 4)).toEqual([["a", "a", "a", "a"]]);
    },
  );

  rule("Its `weight` does not make it smaller.", async ({ steps, stateAdapter }) => {
    await setLimit(stateAdapter, { perKey: { concurrency: 8, rate: null } });
    await steps.create(...manyUnder("a", 12), ...manyUnder("b", 3));
    // Each key has its turn, also if it has more jobs.
    expect(await lookAll(stateAdapter, {}, 5)).toEqual([
      ["a", "a", "a", "a", "a"],
      ["b", "b", "b"],
      // The bounds of the key make it smaller.
      ["a", "a", "a"],
    ]);
  });

  rule("a key that waits has the moment of its batch", async ({ steps, stateAdapter }) => {
    expect((await look(stateAdapter)).nextDueInMs).toBeNull();
    await steps.create(under("a"), under("b"));
    for (let round = 0; round < 2; round++) {
      const { jobs, nextDueInMs } = await look(stateAdapter);
      expect(jobs).toEqual([]);
      expect(nextDueInMs).toBeGreaterThan(9 * minuteMs);
      expect(nextDueInMs).toBeLessThanOrEqual(10 * minuteMs);
    }
    // A lesser wait of a later look takes effect when the key has a turn again.
    await steps.create(under("a"));
    expect((await look(stateAdapter, { maxWaitMs: minuteMs })).nextDueInMs).toBeLessThanOrEqual(
      minuteMs,
    );
  });

  rule(
    "a key that is full, paused or without tokens delays no other",
    async ({ steps, stateAdapter }) => {
      await setPerKey(stateAdapter, 4);
      const { setLimitKeys } = keysOf(stateAdapter);
      const limitName = "task";
      const pause = { forMs: null, note: null, extends: false };
      const bounds = { concurrency: null, rate: slowRate(1), weight: 1 };
      await setLimitKeys({
        keys: [
          { limitName, key: "full", bounds: { concurrency: 0, rate: null, weight: 1 } },
          { limitName, key: "paused", pause },
          { limitName, key: "slow", bounds },
        ],
      });
      for (const key of ["full", "paused", "slow", "open"])
        await steps.create(...manyUnder(key, 5));
      expect((await lookAll(stateAdapter)).toSorted()).toEqual([
        ["open", "open", "open", "open"],
        ["slow"],
      ]);
      await setLimitKeys({ keys: [{ limitName, key: "paused", pause: null }] });
      expect(await lookAll(stateAdapter)).toEqual([["paused", "paused", "paused", "paused"]]);
    },
  );

  rule("the time for which a job was blocked does not count for its key", async (test) => {
    const { steps, stateAdapter } = test;
    const blocker = await steps.createOne({ typeName: "other" });
    await steps.createBlocked([blocker], under("a", longAgo()));
    await steps.completeWithoutWorker(blocker);
    expect((await look(stateAdapter)).jobs).toEqual([]);
    await steps.create(under("a", longAgo()));
    expect(keysTaken(await look(stateAdapter))).toEqual(["a", "a"]);
  });

  rule("a job of an expired lease counts for its key", async ({ steps, stateAdapter }) => {
    await steps.create(under("a"));
    const [lost] = (await look(stateAdapter, { minSize: 1 }, { leaseMs: 1 })).jobs;
    await steps.create(under("a"));
    if (lost !== undefined) await steps.untilExpired(lost.job);
    expect((await look(stateAdapter)).jobs).toEqual([]);
    await steps.create(under("a"));
    const { jobs } = await look(stateAdapter);
    expect(jobs.map(({ job }) => job.attempt)).toEqual([2, 1, 1]);
  });

  rule("jobs with and without keys get batches in turn", async ({ steps, stateAdapter }) => {
    await steps.create(...manyUnder("a", 60), ...Array.from({ length: 60 }, () => plain));
    const kinds = new Set<string | undefined>();
    for (let round = 0; round < 40 && kinds.size < 2; round++) {
      kinds.add(keysTaken(await look(stateAdapter, { minSize: 1 }, { limit: 1 }))[0]);
    }
    expect(kinds).toEqual(new Set(["a", "plain"]));
  });

  rule("callers at the same time do not divide the batch of a key", async (test) => {
    const { steps, stateAdapter, secondStateAdapter } = test;
    const minSize = 6;
    for (let round = 0; round < 5; round++) {
      await steps.create(
        ...["a", "b"].flatMap((key) => manyUnder(`${key}${round}`, minSize + round)),
      );
      const sizes = new Map<string, number>();
      const callAll = async (): Promise<void> => {
        while (sizes.size < 2) {
          const adapters = [stateAdapter, secondStateAdapter, stateAdapter, secondStateAdapter];
          const found = await Promise.all(
            adapters.map((adapter) => look(adapter, { minSize }, { limit: 4 * minSize })),
          );
          for (const result of found) {
            const keys = keysTaken(result);
            if (keys.length === 0) continue;
            expect(new Set(keys).size).toBe(1);
            expect(sizes.has(keys[0] ?? "")).toBe(false);
            sizes.set(keys[0] ?? "", keys.length);
          }
        }
      };
      await within(callAll(), "the batches");
      expect([...sizes.values()]).toEqual([minSize + round, minSize + round]);
    }
  });

  rule("jobs that commit during looks are found", async ({ steps, secondSteps, stateAdapter }) => {
    const count = 30;
    let found = 0;
    const creating = (async () => {
      for (let index = 0; index < count; index++) {
        await (index % 2 ? steps : secondSteps).create(under(`k${index % 3}`));
      }
    })();
    const looking = (async () => {
      while (found < count) found += (await look(stateAdapter, { minSize: 1 })).jobs.length;
    })();
    await within(Promise.all([creating, looking]), "the jobs");
    expect(found).toBe(count);
  });
});
