import { expect } from "vitest";
import { minuteMs } from "../factories.ts";
import { defineStateSuite, type StateSuite } from "../state-suite.ts";
import {
  acquireOf,
  keysOf,
  keysTaken,
  manyUnder,
  setLimit,
  setPerKey,
  under,
} from "./limit-key-steps.ts";

export const turnsOfKeysSuite: StateSuite = defineStateSuite("limits by key, turns", (rule) => {
  rule(
    "Keys take turns: each starts up to its `weight` jobs, and then the next key does. No key goes without for ever.",
    async ({ steps, stateAdapter }) => {
      const heavy = { concurrency: null, rate: null, weight: 3 };
      const key = { limitName: "task", key: "heavy", bounds: heavy };
      await keysOf(stateAdapter).setLimitKeys({ keys: [key] });
      const keys = ["heavy", "a", "b", "c", "d"];
      for (const one of keys) await steps.create(...manyUnder(one, one === "heavy" ? 90 : 30));
      const served = new Map(keys.map((one) => [one, 0]));
      // Seven jobs are one round: three and one of each other key.
      for (let round = 0; round < 10; round++) {
        const taken = await acquireOf(stateAdapter, ["task"], { limit: 7 });
        expect(taken.jobs).toHaveLength(7);
        for (const one of keysTaken(taken)) served.set(one, (served.get(one) ?? 0) + 1);
        for (const { job } of taken.jobs) await steps.complete(job);
        const light = keys.slice(1).map((one) => served.get(one) ?? 0);
        expect(Math.max(...light) - Math.min(...light)).toBeLessThanOrEqual(1);
        expect(Math.abs((served.get("heavy") ?? 0) - 3 * (round + 1))).toBeLessThanOrEqual(3);
      }
    },
  );

  rule(
    "a key with many jobs in front does not delay a new one",
    async ({ steps, stateAdapter }) => {
      await setPerKey(stateAdapter, 1);
      await steps.create(...manyUnder("noisy", 200));
      await steps.create(under("new"));
      const taken = keysTaken(await acquireOf(stateAdapter, ["task"], { limit: 2 }));
      expect(taken).toEqual(["new", "noisy"]);
    },
  );

  rule("a key alone uses all of the room", async ({ steps, stateAdapter }) => {
    await steps.create(...manyUnder("a", 30));
    expect((await acquireOf(stateAdapter, ["task"], { limit: 20 })).jobs).toHaveLength(20);
  });

  rule(
    "keys whose jobs have ended keep no other key from the next acquisition",
    async ({ steps, stateAdapter }) => {
      await setPerKey(stateAdapter, 1);
      const keys = Array.from({ length: 15 }, (_, index) => `ended ${index}`);
      await steps.create(...keys.map((key) => under(key)));
      for (const { job } of await steps.acquire({ limit: 15 })) await steps.complete(job);
      await steps.create(under("new"));
      const taken = await acquireOf(stateAdapter, ["task"], { limit: 3 });
      expect(keysTaken(taken)).toEqual(["new"]);
    },
  );

  rule(
    "A key that is full or paused holds no other job back, and its waiting jobs cost an acquisition nothing.",
    async ({ steps, stateAdapter }) => {
      await setPerKey(stateAdapter, 1);
      const pause = { forMs: null, note: null, extends: false };
      await keysOf(stateAdapter).setLimitKeys({
        keys: [{ limitName: "task", key: "paused", pause }],
      });
      await steps.create(...manyUnder("full", 150), ...manyUnder("paused", 150));
      await acquireOf(stateAdapter, ["task"]);
      await steps.create(under("free"), {});
      const taken = await acquireOf(stateAdapter, ["task"], { limit: 2 });
      expect(keysTaken(taken)).toEqual(["", "free"]);
    },
  );

  rule(
    "Within a key: higher `priority` first, then older `scheduledAt`, then smaller `ordinal`.",
    async ({ steps, stateAdapter }) => {
      await setPerKey(stateAdapter, 1);
      const from = Date.now() - minuteMs;
      const at = (ms: number) => ({ schedule: { at: new Date(from + ms) } });
      const created = await steps.create(
        under("a", at(5)),
        under("a", at(1)),
        under("a", { ...at(9), priority: 2 }),
        under("a", at(5)),
      );
      const order = [];
      for (let turn = 0; turn < 4; turn++) {
        const { jobs } = await acquireOf(stateAdapter, ["task"]);
        expect(jobs).toHaveLength(1);
        for (const { job } of jobs) {
          order.push(created.findIndex(({ id }) => id === job.id));
          await steps.complete(job);
        }
      }
      expect(order).toEqual([2, 1, 0, 3]);
    },
  );

  rule(
    "Jobs of a type without a key, and those under keys, both get room.",
    async ({ steps, stateAdapter }) => {
      await steps.create(...manyUnder("a", 20), ...Array.from({ length: 20 }, () => ({})));
      const ten = keysTaken(await acquireOf(stateAdapter, ["task"], { limit: 10 }));
      expect(ten.filter((key) => key === "a")).toHaveLength(5);
      // With room for one job, neither waits for the end of the other.
      const singles = new Set<string>();
      for (let turn = 0; turn < 20; turn++) {
        for (const key of keysTaken(await acquireOf(stateAdapter, ["task"], { limit: 1 }))) {
          singles.add(key);
        }
      }
      expect(singles.size).toBe(2);
    },
  );

  rule("Jobs under a key get at most `slots` jobs in all.", async ({ steps, stateAdapter }) => {
    await steps.create(...manyUnder("a", 3), ...manyUnder("b", 3));
    const two = await acquireOf(stateAdapter, ["task"], { limit: 9, slots: 2 });
    expect(keysTaken(two)).toEqual(["a", "b"]);
    const none = await acquireOf(stateAdapter, ["task"], { limit: 9, slots: 0 });
    expect(none.jobs).toEqual([]);
    expect(none.isLimited).toBe(true);
    expect(none.nextDueInMs).not.toBe(0);
    // Their turns are not lost.
    expect((await acquireOf(stateAdapter, ["task"])).jobs).toHaveLength(4);
  });

  rule(
    "`agingMs` of a limit: every so many milliseconds since the due time count as one level of priority, with and without keys.",
    async ({ steps, stateAdapter }) => {
      await setLimit(stateAdapter, { agingMs: 1_000, perKey: { concurrency: 1, rate: null } });
      const ago = (ms: number) => ({ schedule: { at: new Date(Date.now() - ms) } });
      for (const of of [under("a"), {}]) {
        const [old, high] = await steps.create(
          { ...of, ...ago(60_000) },
          { ...of, ...ago(50_000), priority: 5 },
        );
        const { jobs } = await acquireOf(stateAdapter, ["task"], { limit: 1 });
        expect(jobs[0]?.job.id).toBe(old?.id);
        for (const { job } of jobs) await steps.complete(job);
        const [rest] = (await acquireOf(stateAdapter, ["task"], { limit: 1 })).jobs;
        expect(rest?.job.id).toBe(high?.id);
        if (rest !== undefined) await steps.complete(rest.job);
      }
    },
  );
});
