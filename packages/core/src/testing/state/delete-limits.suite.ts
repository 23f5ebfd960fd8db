import { expect } from "vitest";
import { minuteMs } from "../factories.ts";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { within } from "../waiting.ts";

const none = { concurrency: 0, rate: null, declaration: null };

export const deleteLimitsSuite: StateSuite = defineStateSuite("deleteLimits", (rule) => {
  rule(
    "After it has resolved, no acquisition that begins obeys them.",
    async ({ steps, secondSteps, stateAdapter, secondStateAdapter }) => {
      await steps.create({}, {}, { typeName: "other" });
      const limits = ["other", "task"].map((name) => ({ ...none, name }));
      await stateAdapter.setLimits({ limits });
      expect(await steps.acquire()).toEqual([]);
      expect(await secondStateAdapter.deleteLimits({ names: ["none", "task"] })).toEqual([
        false,
        true,
      ]);
      expect(await steps.acquire()).toHaveLength(1);
      expect(await secondSteps.acquire()).toHaveLength(1);
      expect(await steps.acquire({ typeName: "other" })).toEqual([]);
      expect(await stateAdapter.getLimits({ names: null })).toMatchObject([{ name: "other" }]);
      expect(await stateAdapter.deleteLimits({ names: ["task"] })).toEqual([false]);
      expect(await stateAdapter.deleteLimits({ names: [] })).toEqual([]);
    },
  );

  rule("Running jobs go on.", async ({ steps, stateAdapter }) => {
    const limits = [{ ...none, name: "task", concurrency: 1 }];
    await stateAdapter.setLimits({ limits });
    const running = await steps.createRunning();
    await stateAdapter.deleteLimits({ names: ["task"] });
    expect(await steps.renew(running)).toEqual({ kind: "held" });
    await steps.create({});
    expect(await steps.acquire()).toHaveLength(1);
    // They count, if there is a limit again.
    await stateAdapter.setLimits({ limits });
    expect(await stateAdapter.getLimits({ names: null })).toMatchObject([{ running: 2 }]);
    expect((await steps.complete(running)).kind).toBe("completed");
  });

  rule(
    "A limit that is set again is a new one: all of its tokens are there.",
    async ({ steps, stateAdapter }) => {
      await steps.create({}, {}, {});
      const rate = { count: 1, perMs: 30 * minuteMs, burst: 1 };
      const declaration = { hash: "h", revision: 7 };
      const limits = [{ ...none, name: "task", concurrency: null, rate, declaration }];
      await stateAdapter.setLimits({ limits });
      expect(await steps.acquire({ limit: 3 })).toHaveLength(1);
      await stateAdapter.deleteLimits({ names: ["task"] });
      // The same declaration is written, of an older revision, too.
      const older = limits.map((one) => ({ ...one, declaration: { hash: "h", revision: 1 } }));
      expect(await stateAdapter.setLimits({ limits: older })).toEqual([true]);
      expect(await steps.acquire({ limit: 3 })).toHaveLength(1);
    },
  );

  rule("A pause of the same name stays.", async ({ steps, stateAdapter }) => {
    await steps.create({});
    const targets = [{ typeName: "task" }];
    await stateAdapter.pause({ targets, forMs: null, note: "why" });
    await stateAdapter.setLimits({ limits: [{ ...none, name: "task" }] });
    expect(await stateAdapter.deleteLimits({ names: ["task"] })).toEqual([true]);
    expect(await steps.acquire()).toEqual([]);
    expect(await stateAdapter.resume({ targets })).toEqual([true]);
    expect(await steps.acquire()).toHaveLength(1);
  });

  rule("acquisitions that overlap with a deletion take each job once", async (test) => {
    const { steps, secondSteps, stateAdapter, secondStateAdapter } = test;
    await steps.create(...Array.from({ length: 40 }, () => ({})));
    await stateAdapter.setLimits({ limits: [{ ...none, name: "task", concurrency: 5 }] });
    const taking = Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 ? steps : secondSteps).acquire({ limit: 5 }),
      ),
    );
    const deleting = secondStateAdapter.deleteLimits({ names: ["task"] });
    expect(await within(deleting, "the deletion")).toEqual([true]);
    const taken = (await within(taking, "the acquisitions")).flat().length;
    const rest = await steps.acquire({ limit: 40 });
    expect(taken + rest.length).toBe(40);
  });
});
