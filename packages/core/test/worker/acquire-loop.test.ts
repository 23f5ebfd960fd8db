// When a worker acquires again. No timer ends before the end of the test, so each acquisition has another reason.
import { createInProcessStateAdapter, defineUnionJobTypes } from "queuert";
import { expect, it, onTestFinished } from "vitest";
import { systemClock } from "../../src/async/clock.ts";
import { createDeferred } from "../../src/async/deferred.ts";
import { createQueuertWith } from "../../src/queuert.ts";
import { eventually } from "../../src/testing/waiting.ts";

it("acquires at once after it has found some of the jobs that are due", async () => {
  const inner = createInProcessStateAdapter();
  let acquisitions = 0;
  const timers: (() => void)[] = [];
  let isOver = false;
  // Like a store that finds one key in a look, and has seen more due jobs.
  const acquireJobs: typeof inner.acquireJobs = async (params) => {
    acquisitions += 1;
    const found = await inner.acquireJobs({ ...params, limit: 1 });
    return found.jobs.length === 0 ? found : { ...found, nextDueInMs: 0 };
  };
  const queuert = await createQueuertWith(
    {
      stateAdapter: { ...inner, acquireJobs },
      jobTypeDefinitions: defineUnionJobTypes<{
        task: { entry: true; input: null; output: null };
      }>(),
      log: () => {},
    },
    {
      clock: {
        ...systemClock,
        setTimeout: (end, ms) => (isOver ? systemClock.setTimeout(end, ms) : void timers.push(end)),
      },
    },
  );
  await queuert.startJobSequences({
    autocommit: true,
    sequences: Array.from({ length: 4 }, () => ({ typeName: "task" as const, input: null })),
  });
  const gate = createDeferred<void>();
  let running = 0;
  const worker = queuert.createWorker().implementJobType({
    typeName: "task",
    process: async ({ complete }) => {
      running += 1;
      await gate.promise;
      return complete(null);
    },
  });
  const { stop } = await worker.start({ concurrency: 4, prefetch: 0 });
  onTestFinished(async () => {
    isOver = true;
    for (const end of timers) end();
    gate.resolve();
    await stop();
    await queuert.close();
  });
  await eventually(async () => (running === 4 ? true : undefined), "all four attempts");
  expect(acquisitions).toBe(4);
});
