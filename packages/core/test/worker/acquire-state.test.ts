// How often a worker acquires: once for each notified job, and again only for jobs that it may have missed.
import {
  createInProcessNotifyAdapter,
  createInProcessStateAdapter,
  createNoopNotifyAdapter,
  createQueuert,
  defineUnionJobTypes,
  type NotifyAdapter,
} from "queuert";
import { aJob } from "queuert/testing";
import { expect, it, onTestFinished, vi } from "vitest";

const jobTypes = defineUnionJobTypes<{ task: { input: { n: number }; output: null } }>();

const open = async (notifyAdapter: NotifyAdapter, pollIntervalMs: number) => {
  const state = createInProcessStateAdapter();
  let lookCount = 0;
  const stateAdapter: typeof state = {
    ...state,
    acquireJobs: (params) => {
      lookCount++;
      return state.acquireJobs(params);
    },
  };
  const queuert = await createQueuert({
    stateAdapter,
    notifyAdapter,
    jobTypeDefinitions: jobTypes,
  });
  onTestFinished(() => queuert.close());
  const done: number[] = [];
  await queuert
    .createWorker()
    .implementJobType({
      typeName: "task",
      process: async ({ job, complete }) => {
        done.push(job.input.n);
        return complete(null);
      },
    })
    .start({ concurrency: 1, pollIntervalMs });
  await vi.waitFor(() => expect(lookCount).toBe(1));
  return {
    done,
    looks: () => lookCount,
    start: (n: number) =>
      queuert.transaction((tx) =>
        queuert.startJobSequence({ ...tx, typeName: "task", input: { n } }),
      ),
    startMany: (count: number) =>
      queuert.transaction((tx) =>
        queuert.startJobSequences({
          ...tx,
          sequences: Array.from({ length: count }, (_, n) => ({ typeName: "task", input: { n } })),
        }),
      ),
    /** Stores a job without a notification. */
    store: (n: number) =>
      state.createJobs({ jobs: [aJob({ typeName: "task", input: JSON.stringify({ n }) })] }),
  };
};

/** An adapter whose notifications the test sends itself. */
const byHand = () => {
  let tell: (count?: number) => void = () => undefined;
  const adapter: NotifyAdapter = {
    ...createNoopNotifyAdapter(),
    listenJobScheduled: async ({ onJobScheduled }) => {
      tell = (count) => onJobScheduled("task", count);
      return async () => undefined;
    },
  };
  return { adapter, tell: (count?: number) => tell(count) };
};

const never = 600_000;

it("acquires once for each job, though its only slot is free again afterwards", async () => {
  const { done, looks, start } = await open(createInProcessNotifyAdapter(), never);
  for (let n = 1; n <= 10; n++) {
    await start(n);
    await vi.waitFor(() => expect(done).toHaveLength(n));
  }
  expect(looks()).toBe(11);
});

it("finds jobs that were notified while it was busy, and jobs beyond its slots", async () => {
  const { done, start, startMany } = await open(createInProcessNotifyAdapter(), never);
  await Promise.all(Array.from({ length: 20 }, (_, n) => start(n)));
  await vi.waitFor(() => expect(done).toHaveLength(20));
  await startMany(20);
  await vi.waitFor(() => expect(done).toHaveLength(40));
});

it("acquires until no job is due when it may have missed a job", async () => {
  const { adapter, tell } = byHand();
  const { done, store } = await open(adapter, never);
  for (let n = 0; n < 3; n++) await store(n);
  tell(1);
  await vi.waitFor(() => expect(done).toEqual([0]));
  // As after a lost connection: without a count.
  tell();
  await vi.waitFor(() => expect(done).toEqual([0, 1, 2]));
});

it("finds a job without a notification by polling, in spite of notifications of other jobs", async () => {
  const { adapter, tell } = byHand();
  const { done, store } = await open(adapter, 100);
  await store(0);
  await store(1);
  let announced = 1;
  await vi.waitFor(
    async () => {
      await store(++announced);
      tell(1);
      await vi.waitFor(() => expect(done).toHaveLength(announced + 1), {
        timeout: 20,
        interval: 1,
      });
    },
    { timeout: 5_000, interval: 1 },
  );
});
