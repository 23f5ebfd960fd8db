import { expect } from "vitest";
import { minuteMs } from "../factories.ts";
import { defineStateSuite, type StateSuite } from "../state-suite.ts";
import { eventually } from "../waiting.ts";
import {
  acquireOf,
  keysOf,
  keysTaken,
  manyUnder,
  setLimit,
  setPerKey,
  slowRate,
  under,
} from "./limit-key-steps.ts";

const keyOf = (key: string) => ({ limitName: "task", key });
const forEver = { forMs: null, note: null, extends: false };

const setLimitKeysSuite: StateSuite = defineStateSuite("setLimitKeys", (rule) => {
  rule(
    "The bounds of a key replace those of its limit, one by one. Null: those of the limit.",
    async ({ steps, stateAdapter }) => {
      await setLimit(stateAdapter, { perKey: { concurrency: 2, rate: slowRate(3) } });
      const { setLimitKeys } = keysOf(stateAdapter);
      await setLimitKeys({
        keys: [
          { ...keyOf("a"), bounds: { concurrency: 5, rate: null, weight: 1 } },
          { ...keyOf("b"), bounds: { concurrency: null, rate: slowRate(1), weight: 1 } },
        ],
      });
      await steps.create(...manyUnder("a", 9), ...manyUnder("b", 9), ...manyUnder("c", 9));
      const taken = keysTaken(await acquireOf(stateAdapter, ["task"]));
      expect(taken).toEqual(["a", "a", "a", "b", "c", "c"]);
      await setLimitKeys({ keys: [{ ...keyOf("b"), bounds: null }] });
      expect(await keysOf(stateAdapter).getLimitKeys({ limitName: "task", keys: ["b"] })).toEqual([
        expect.objectContaining({
          ...{ bounds: null, running: 1, pending: 8 },
          effective: { concurrency: 2, rate: slowRate(3) },
        }),
      ]);
    },
  );

  rule(
    "Left out, bounds and pause stay as they are. A pause that is null ends.",
    async ({ stateAdapter, secondStateAdapter }) => {
      const { setLimitKeys } = keysOf(stateAdapter);
      const bounds = { concurrency: 1, rate: null, weight: 4 };
      expect(await setLimitKeys({ keys: [{ ...keyOf("a"), bounds }] })).toEqual([false]);
      const pause = { ...forEver, note: "provider down" };
      expect(await setLimitKeys({ keys: [{ ...keyOf("a"), pause }] })).toEqual([false]);
      const look = async () =>
        (await keysOf(secondStateAdapter).getLimitKeys({ limitName: "task", keys: ["a"] }))[0];
      expect(await look()).toMatchObject({ bounds, pause: { until: null, note: "provider down" } });
      expect(await setLimitKeys({ keys: [{ ...keyOf("a"), bounds: null }] })).toEqual([true]);
      expect(await look()).toMatchObject({ bounds: null, pause: { note: "provider down" } });
      expect(await setLimitKeys({ keys: [{ ...keyOf("a"), pause: null }] })).toEqual([true]);
      expect(await setLimitKeys({ keys: [{ ...keyOf("a"), pause: null }] })).toEqual([false]);
      expect(await look()).toMatchObject({ bounds: null, pause: null });
    },
  );

  rule(
    "A paused key: after the call has resolved, no acquisition that begins takes a job of it. It ends by itself after `forMs`.",
    async ({ steps, stateAdapter, secondStateAdapter }) => {
      await steps.create(...manyUnder("a", 2), under("b"));
      const { setLimitKeys } = keysOf(stateAdapter);
      await setLimitKeys({ keys: [{ ...keyOf("a"), pause: forEver }] });
      expect(keysTaken(await acquireOf(secondStateAdapter, ["task"]))).toEqual(["b"]);
      expect((await acquireOf(secondStateAdapter, ["task"])).jobs).toEqual([]);
      await setLimitKeys({ keys: [{ ...keyOf("a"), pause: { ...forEver, forMs: 5 } }] });
      await eventually(
        async () => (await acquireOf(secondStateAdapter, ["task"])).jobs[0],
        "the end of the pause",
      );
      await setLimitKeys({ keys: [{ ...keyOf("c"), pause: forEver }] });
      await steps.create(under("c"));
      expect((await acquireOf(stateAdapter, ["task"])).jobs).toEqual([]);
      await setLimitKeys({ keys: [{ ...keyOf("c"), pause: null }] });
      expect((await acquireOf(stateAdapter, ["task"])).jobs).toHaveLength(1);
    },
  );

  rule("With `extends` a pause that ends later stays as it is.", async ({ stateAdapter }) => {
    const { setLimitKeys, getLimitKeys } = keysOf(stateAdapter);
    const set = async (forMs: number | null, isExtended: boolean) => {
      const pause = { forMs, note: null, extends: isExtended };
      await setLimitKeys({ keys: [{ ...keyOf("a"), pause }] });
      const [{ pause: stored } = { pause: null }] = await getLimitKeys({
        ...{ limitName: "task", keys: null },
      });
      return stored?.until ?? null;
    };
    const long = await set(10 * minuteMs, true);
    expect(await set(minuteMs, true)).toEqual(long);
    expect((await set(20 * minuteMs, true))?.getTime()).toBeGreaterThan(
      long?.getTime() ?? Infinity,
    );
    expect((await set(minuteMs, false))?.getTime()).toBeLessThan(long?.getTime() ?? 0);
    expect(await set(null, true)).toBeNull();
    expect(await set(minuteMs, true)).toBeNull();
  });

  rule("raised bounds of a key are found", async ({ steps, stateAdapter }) => {
    await setPerKey(stateAdapter, 1);
    await steps.create(...manyUnder("a", 3));
    await acquireOf(stateAdapter, ["task"]);
    expect((await acquireOf(stateAdapter, ["task"])).jobs).toEqual([]);
    const bounds = { concurrency: 3, rate: null, weight: 1 };
    await keysOf(stateAdapter).setLimitKeys({ keys: [{ ...keyOf("a"), bounds }] });
    expect((await acquireOf(stateAdapter, ["task"])).jobs).toHaveLength(2);
  });

  rule("a key of any text", async ({ steps, stateAdapter }) => {
    for (const key of ["$key", 'it\'s "quoted"', "ünï\u0001code", "a.b", "%_", "x".repeat(255)]) {
      await steps.create(under(key), under(key));
      const bounds = { concurrency: 1, rate: null, weight: 1 };
      await keysOf(stateAdapter).setLimitKeys({ keys: [{ ...keyOf(key), bounds }] });
      expect((await acquireOf(stateAdapter, ["task"])).jobs).toHaveLength(1);
      const [found] = await keysOf(stateAdapter).getLimitKeys({ limitName: "task", keys: [key] });
      expect(found).toMatchObject({ key, running: 1, pending: 1 });
    }
  });
});

const getLimitKeysSuite: StateSuite = defineStateSuite("getLimitKeys", (rule) => {
  rule(
    "Without names: those that have bounds of their own, or are paused.",
    async ({ steps, stateAdapter }) => {
      await setLimit(stateAdapter, { perKey: { concurrency: 7, rate: null } });
      await steps.create(under("plain"), under("c"));
      const bounds = { concurrency: 9, rate: slowRate(2), weight: 2 };
      await keysOf(stateAdapter).setLimitKeys({
        keys: [
          { ...keyOf("c"), bounds },
          { ...keyOf("b"), pause: forEver },
          { limitName: "other", key: "a", bounds },
        ],
      });
      await acquireOf(stateAdapter, ["task"]);
      const { getLimitKeys } = keysOf(stateAdapter);
      const noUse = { running: 0, pending: 0, tokens: null };
      expect(await getLimitKeys({ limitName: "task", keys: null })).toEqual([
        {
          ...{ ...keyOf("b"), ...noUse, bounds: null, pause: { until: null, note: null } },
          effective: { concurrency: 7, rate: null },
        },
        {
          ...{ ...keyOf("c"), bounds, pause: null, running: 1, pending: 0, tokens: 1 },
          effective: { concurrency: 9, rate: slowRate(2) },
        },
      ]);
      expect(await getLimitKeys({ limitName: "task", keys: ["none", "plain"] })).toMatchObject([
        { key: "none", ...noUse, bounds: null, pause: null },
        { key: "plain", running: 1, pending: 0, effective: { concurrency: 7, rate: null } },
      ]);
    },
  );

  rule("limits keep their bounds for keys, and their aging", async ({ stateAdapter }) => {
    const perKey = { concurrency: 2, rate: slowRate(3) };
    await setLimit(stateAdapter, { perKey, agingMs: 500 });
    const [limit] = await stateAdapter.getLimits({ names: ["task"] });
    expect(limit).toMatchObject({ perKey, agingMs: 500 });
    await setLimit(stateAdapter, { concurrency: 1 });
    const [replaced] = await stateAdapter.getLimits({ names: ["task"] });
    expect(replaced?.perKey ?? { concurrency: null, rate: null }).toEqual({
      ...{ concurrency: null, rate: null },
    });
    expect(replaced?.agingMs ?? null).toBeNull();
  });
});

export const limitKeyMethodSuites: readonly StateSuite[] = [setLimitKeysSuite, getLimitKeysSuite];
