import { createOperator, PlanRefusedError } from "queuert/operator";
import { describe, expect, it } from "vitest";
import { type Clock, systemClock } from "../../src/async/clock.ts";
import { defineUnionJobTypes } from "../../src/job-types/define-job-types.ts";
import { createQueuertWith } from "../../src/queuert.ts";
import { createStateSteps } from "../../src/testing/steps.ts";
import { aStore } from "../in-process/a-store.ts";

/** A store with failed jobs. Time passes only in timers, and then at once. */
const aFailingStore = async (count: number) => {
  const store = aStore();
  const clock: Clock = {
    ...systemClock,
    now: () => store.clock.now(),
    setTimeout: (callback, ms) => {
      store.clock.ms += ms;
      return systemClock.setTimeout(callback, 0);
    },
  };
  const queuert = await createQueuertWith(
    { stateAdapter: store.state, jobTypeDefinitions: defineUnionJobTypes<object>(), log: () => {} },
    { clock },
  );
  const steps = createStateSteps(store.state);
  for (let index = 0; index < count; index++) await steps.createFailed({ typeName: "charge" });
  const operator = createOperator({ queuert });
  const plan = await operator.plan({ action: "retry", filter: "type:charge" });
  return { ...store, operator, plan };
};

describe("the pace of a plan", () => {
  it("changes so many jobs a minute, in small steps", async () => {
    const { operator, plan, clock } = await aFailingStore(25);
    const begunAt = clock.ms;
    const progress: (readonly [done: number, afterMs: number])[] = [];
    const result = await operator.apply({
      token: plan.token,
      count: plan.count,
      pacePerMinute: 600,
      onProgress: ({ done }) => void progress.push([done, clock.ms - begunAt]),
    });
    expect(result).toMatchObject({ done: 25, isStopped: false });
    expect(progress).toEqual([
      [10, 0],
      [20, 1_000],
      [25, 2_000],
    ]);
  });

  it("changes one job at a time if it is slow", async () => {
    const { operator, plan, clock } = await aFailingStore(3);
    const begunAt = clock.ms;
    await operator.apply({ token: plan.token, count: 3, pacePerMinute: 2 });
    expect(clock.ms - begunAt).toBe(60_000);
  });

  it("ends at once when the plan is stopped", async () => {
    const { operator, plan, state } = await aFailingStore(25);
    const stop = new AbortController();
    const result = await operator.apply({
      token: plan.token,
      count: plan.count,
      pacePerMinute: 600,
      signal: stop.signal,
      onProgress: () => stop.abort(),
    });
    expect(result).toMatchObject({ done: 10, isStopped: true });
    const left = await operator.listJobs({ filter: "status:failed", limit: 100 });
    expect(left.items).toHaveLength(15);
    expect(await state.operator?.listActions?.({ limit: 1 })).toMatchObject([{ done: 10 }]);
  });

  it("is a whole number from 1, and a wrong one costs no plan", async () => {
    const { operator, plan } = await aFailingStore(2);
    const apply = (pacePerMinute: number): Promise<unknown> =>
      operator.apply({ token: plan.token, count: 2, pacePerMinute });
    for (const wrong of [0, 0.5, -1, Number.NaN]) {
      await expect(apply(wrong)).rejects.toThrowError(/`pacePerMinute`|pacePerMinute/);
    }
    expect(await apply(60)).toMatchObject({ done: 2 });
    await expect(apply(60)).rejects.toBeInstanceOf(PlanRefusedError);
  });
});
