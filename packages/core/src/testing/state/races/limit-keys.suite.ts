// Acquisitions of jobs under keys beside open transactions that free a permit, create a job or lock one. In a store with one
// writer the others wait. In every store exactly the jobs that may run are acquired in the end.
import { expect } from "vitest";
import type { StateCaseContext } from "../../state-harness.ts";
import { defineStateSuite, type StateSuite } from "../../state-suite.ts";
import type { StateSteps } from "../../steps.ts";
import { deferred, eventually, settlesWithin, sleep, within } from "../../waiting.ts";
import { acquireOf, keysOf, manyUnder, setPerKey, under } from "../limit-key-steps.ts";

/** Runs a call beside an open transaction: it ends, or waits for that transaction. */
const beside = async <T>(test: StateCaseContext, call: Promise<T>): Promise<() => Promise<T>> => {
  // A store with one writer lets it wait. Its rejection is thrown by the function that is returned.
  call.catch(() => undefined);
  await settlesWithin(call, test.patienceMs(test.capabilities.concurrentWriters));
  return () => within(call, "the call beside the transaction");
};

const take = async ({ secondStateAdapter }: StateCaseContext): Promise<number> =>
  (await acquireOf(secondStateAdapter, ["task"])).jobs.length;

/** One job of the key runs, and its limit is one. */
const full = async ({ steps, stateAdapter }: StateCaseContext) => {
  await setPerKey(stateAdapter, 1);
  await steps.create(under("a"));
  const [running] = (await acquireOf(stateAdapter, ["task"])).jobs;
  if (running === undefined) throw new Error("nothing was acquired");
  return running.job;
};

const ends: Readonly<
  Record<string, (steps: StateSteps, job: Awaited<ReturnType<typeof full>>) => Promise<unknown>>
> = {
  complete: (steps, job) => steps.complete(job),
  fail: (steps, job) => steps.fail(job),
  cancel: (steps, job) => steps.cancel([job]),
};

export const limitKeyRaceSuite: StateSuite = defineStateSuite("races, limits by key", (rule) => {
  for (const [name, end] of Object.entries(ends)) {
    for (const ending of ["commit", "rollback"] as const) {
      rule(
        `a ${name} in an open transaction, a new job and an acquisition: ${ending}`,
        async (test) => {
          const { secondSteps } = test;
          const running = await full(test);
          const first = await test.openTransaction();
          await end(first.steps, running);
          const created = await beside(test, secondSteps.create(under("a")));
          const looked = await beside(test, take(test));
          await first[ending]();
          await created();
          const before = await looked();
          const after = await take(test);
          expect(before + after).toBe(ending === "commit" ? 1 : 0);
          if (ending === "commit") return;
          await test.steps.complete(running);
          expect(await take(test)).toBe(1);
        },
      );
    }
  }

  rule("a job of an open transaction is found after its commit", async (test) => {
    const { secondSteps, secondStateAdapter } = test;
    await setPerKey(test.stateAdapter, 1);
    const first = await test.openTransaction();
    await first.steps.create(under("a"));
    const created = await beside(test, secondSteps.create(under("a")));
    const looked = await beside(test, acquireOf(secondStateAdapter, ["task"]));
    await first.commit();
    await created();
    const { jobs } = await looked();
    let count = jobs.length;
    for (const { job } of jobs) await secondSteps.complete(job);
    for (let turn = 0; turn < 3; turn++) {
      for (const { job } of (await acquireOf(secondStateAdapter, ["task"])).jobs) {
        count++;
        await secondSteps.complete(job);
      }
    }
    expect(count).toBe(2);
  });

  rule("a job that was locked while its key had its turn is found again", async (test) => {
    const { steps, stateAdapter } = test;
    await setPerKey(stateAdapter, 1);
    const [job] = await steps.create(under("a"));
    const transaction = await test.openTransaction();
    await stateAdapter.lockSequences({ context: transaction.context, ids: [job?.id ?? ""] });
    const looked = await beside(test, take(test));
    await transaction.rollback();
    if ((await looked()) === 1) return;
    await eventually(async () => ((await take(test)) === 1 ? true : undefined), "the job");
  });

  rule("acquirers at the same time stay within the bounds of each key", async (test) => {
    const { steps, secondSteps, stateAdapter, secondStateAdapter } = test;
    await setPerKey(stateAdapter, 2);
    const keys = ["a", "b", "c"];
    for (const key of keys) await steps.create(...manyUnder(key, 12));
    let done = 0;
    const work = async (adapter: typeof stateAdapter, own: StateSteps): Promise<void> => {
      while (done < 36) {
        // A store without input and output would otherwise never let the timers of another one fire.
        await sleep(0);
        for (const { job } of (await acquireOf(adapter, ["task"], { limit: 4 })).jobs) {
          const states = await keysOf(adapter).getLimitKeys({ limitName: "task", keys });
          for (const { running } of states) expect(running).toBeLessThanOrEqual(2);
          await own.complete(job);
          done++;
        }
      }
    };
    const workers = [
      work(stateAdapter, steps),
      work(secondStateAdapter, secondSteps),
      work(stateAdapter, steps),
      work(secondStateAdapter, secondSteps),
    ];
    await within(Promise.all(workers), "the workers", 40_000);
    expect(done).toBe(36);
  });

  rule("a pause of a key beside acquisitions: none begins after it", async (test) => {
    const { steps, stateAdapter, secondStateAdapter } = test;
    const turnsMax = 15;
    await steps.create(...manyUnder("a", 2 * turnsMax + 1));
    const acquireOne = async (): Promise<number> =>
      (await acquireOf(secondStateAdapter, ["task"], { limit: 1 })).jobs.length;
    const paused = deferred<void>();
    const state = { isPaused: false };
    const work = async (): Promise<void> => {
      for (let turn = 0; turn < turnsMax && !state.isPaused; turn++) await acquireOne();
      await paused.promise;
      // The other worker's last acquisition may have begun before the pause.
      for (let turn = 0; turn < 3; turn++) expect(await acquireOne()).toBe(0);
    };
    const working = Promise.all([work(), work()]);
    working.catch(() => undefined);
    const pause = { forMs: null, note: null, extends: false };
    const keys = [{ limitName: "task", key: "a", pause }];
    const isWritten = async (): Promise<boolean> => {
      try {
        await keysOf(stateAdapter).setLimitKeys({ keys });
        return true;
      } catch (error) {
        // A strict level refuses it beside an acquisition. An operator tries again.
        if (test.isTransactionConflict(error)) return false;
        throw error;
      }
    };
    while (!(await isWritten()));
    state.isPaused = true;
    paused.resolve();
    // How long they take depends on the machine: the case has the only deadline.
    await working;
  });
});
