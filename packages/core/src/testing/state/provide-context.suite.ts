import { expect } from "vitest";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";
import { createStateSteps } from "../steps.ts";
import { within } from "../waiting.ts";

export const provideContextSuite: StateSuite = defineStateSuite("provideContext", (rule) => {
  rule("Runs the callback with a context outside any transaction.", async ({ stateAdapter }) => {
    const inside = await stateAdapter.provideContext((context) =>
      stateAdapter.isInTransaction(context),
    );
    expect(inside).toBe(false);
  });

  rule("resolves with the result of the callback", async ({ stateAdapter }) => {
    expect(await stateAdapter.provideContext(() => Promise.resolve("answer"))).toBe("answer");
  });

  rule("rejects with the callback's error", async ({ stateAdapter }) => {
    const error = new Error("the callback's own");
    await expect(stateAdapter.provideContext(() => Promise.reject(error))).rejects.toBe(error);
  });

  rule("its context reads", async ({ stateAdapter, steps }) => {
    const job = await steps.createOne();
    const read = await stateAdapter.provideContext((context) =>
      createStateSteps(stateAdapter, context).get(job),
    );
    expect(read).toEqual(job);
  });

  rule("many at once do not wait for each other", async ({ stateAdapter }) => {
    const count = 20;
    let inside = 0;
    let allInside: () => void = () => undefined;
    const together = new Promise<void>((resolve) => {
      allInside = resolve;
    });
    const all = Array.from({ length: count }, () =>
      stateAdapter.provideContext(async () => {
        inside += 1;
        if (inside === 3) allInside();
        await together;
      }),
    );
    await within(Promise.all(all), "callbacks of provideContext that wait for each other");
    expect(inside).toBe(count);
  });

  rule("a callback that rejected leaves the adapter usable", async ({ stateAdapter, steps }) => {
    for (let round = 0; round < 30; round += 1) {
      await stateAdapter.provideContext(() => Promise.reject(new Error("no"))).catch(() => null);
    }
    expect((await steps.createOne()).status).toBe("pending");
  });
});
