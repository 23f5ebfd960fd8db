import { expect } from "vitest";
import type { LimitDeclaration, StateLimit } from "../../adapters/state-adapter-limits.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import { minuteMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

const set = async (
  stateAdapter: AnyStateAdapter,
  limit: Partial<StateLimit>,
  declaration: LimitDeclaration | null = null,
): Promise<boolean | undefined> => {
  const whole = { name: "task", concurrency: null, rate: null, ...limit, declaration };
  const [written] = await stateAdapter.setLimits({ limits: [whole] });
  return written;
};

export const setLimitsSuite: StateSuite = defineStateSuite("setLimits", (rule) => {
  rule(
    "After it has resolved, each acquisition that begins obeys them, in any process.",
    async ({ steps, secondSteps, stateAdapter }) => {
      await steps.create({}, {});
      expect(await set(stateAdapter, { concurrency: 0 })).toBe(true);
      expect(await steps.acquire()).toEqual([]);
      expect(await secondSteps.acquire()).toEqual([]);
      expect(await set(stateAdapter, { concurrency: 1 })).toBe(true);
      expect(await secondSteps.acquire({ limit: 2 })).toHaveLength(1);
    },
  );

  rule("Running jobs count, and go on.", async ({ steps, stateAdapter }) => {
    const running = await steps.createRunning();
    await steps.create({});
    await set(stateAdapter, { concurrency: 1 });
    expect(await steps.acquire()).toEqual([]);
    expect(await steps.renew(running)).toEqual({ kind: "held" });
    expect((await steps.complete(running)).kind).toBe("completed");
    expect(await steps.acquire()).toHaveLength(1);
  });

  rule("A limit is replaced as a whole.", async ({ steps, stateAdapter }) => {
    await steps.create({}, {}, {});
    const rate = { count: 1, perMs: minuteMs, burst: 1 };
    await set(stateAdapter, { concurrency: 1, rate });
    await set(stateAdapter, { concurrency: 2 });
    const [limit] = await stateAdapter.getLimits({ names: ["task"] });
    expect(limit).toMatchObject({ concurrency: 2, rate: null });
    expect(await steps.acquire({ limit: 3 })).toHaveLength(2);
  });

  rule(
    "The time of its tokens stays, so setting it again gives no start for free.",
    async ({ steps, stateAdapter }) => {
      await steps.create({}, {});
      const rate = { count: 1, perMs: 10 * minuteMs, burst: 1 };
      await set(stateAdapter, { rate });
      await steps.acquireOne();
      await set(stateAdapter, { concurrency: 5, rate });
      expect(await steps.acquire()).toEqual([]);
    },
  );

  rule(
    "A `declaration` is not written while the stored one has the same `hash` or a higher `revision`.",
    async ({ stateAdapter, secondStateAdapter }) => {
      expect(await set(stateAdapter, { concurrency: 1 }, { hash: "a", revision: 2 })).toBe(true);
      expect(await set(stateAdapter, { concurrency: 2 }, { hash: "a", revision: 3 })).toBe(false);
      expect(await set(stateAdapter, { concurrency: 3 }, { hash: "b", revision: 1 })).toBe(false);
      const [kept] = await secondStateAdapter.getLimits({ names: null });
      expect(kept).toMatchObject({ concurrency: 1, declaration: { hash: "a", revision: 2 } });
      expect(await set(stateAdapter, { concurrency: 4 }, { hash: "b", revision: 2 })).toBe(true);
      const [changed] = await secondStateAdapter.getLimits({ names: null });
      expect(changed).toMatchObject({ concurrency: 4, declaration: { hash: "b", revision: 2 } });
    },
  );

  rule("A change at run time since then stays.", async ({ stateAdapter }) => {
    const declaration = { hash: "a", revision: 1 };
    await set(stateAdapter, { concurrency: 1 }, declaration);
    expect(await set(stateAdapter, { concurrency: 9 })).toBe(true);
    expect(await set(stateAdapter, { concurrency: 1 }, declaration)).toBe(false);
    const [limit] = await stateAdapter.getLimits({ names: ["task"] });
    expect(limit).toMatchObject({ concurrency: 9, declaration });
  });

  rule("a type of any name", async ({ steps, stateAdapter }) => {
    for (const name of ["$type", 'it\'s "quoted"', "ünïcode", "a.b"]) {
      await steps.create({ typeName: name }, { typeName: name });
      await set(stateAdapter, { name, concurrency: 1 });
      expect(await steps.acquire({ typeName: name, limit: 2 })).toHaveLength(1);
      expect(await stateAdapter.getLimits({ names: [name] })).toMatchObject([
        { name, concurrency: 1, running: 1 },
      ]);
    }
  });

  rule("an empty list sets nothing", async ({ stateAdapter }) => {
    expect(await stateAdapter.setLimits({ limits: [] })).toEqual([]);
    expect(await stateAdapter.getLimits({ names: null })).toEqual([]);
  });
});
