// Attempts that end abnormally, and gauges that come back to zero afterwards.
import { setTimeout as sleep } from "node:timers/promises";
import { createInProcessStateAdapter } from "queuert";
import { afterEach, describe, expect, it, vi } from "vitest";
import { openApp, payload, quick } from "./app.ts";
import type { Sdk } from "./sdk.ts";

const lease = { leaseMs: 60, renewIntervalMs: 20 };
const patience = { timeout: 10_000, interval: 5 };

const expectBalance = async (sdk: Sdk): Promise<void> => {
  expect(await sdk.value("queuert.job_type.idle")).toBe(0);
  expect(await sdk.value("queuert.job_type.processing")).toBe(0);
};

/** A worker whose jobs wait until they are let go. */
const openHeld = async (
  options: { state?: ReturnType<typeof createInProcessStateAdapter> } = {},
) => {
  const app = await openApp(options);
  const waiting: (() => void)[] = [];
  const work = (given: { readonly workerId?: string; readonly concurrency?: number } = {}) =>
    app.queuert
      .createWorker()
      .implementJobType({
        typeName: "task",
        leaseConfig: lease,
        process: async ({ complete }) => {
          await new Promise<void>((resolve) => waiting.push(resolve));
          return complete(payload);
        },
      })
      .start({ ...quick, ...given });
  const begun = (count: number) =>
    vi.waitFor(() => expect(waiting.length).toBeGreaterThanOrEqual(count), patience);
  const letGo = (): void => {
    for (const go of waiting.splice(0)) go();
  };
  return { ...app, work, begun, letGo };
};

describe("gauges", () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("count idle slots and running attempts, by type and worker", async () => {
    const { sdk, start, done, work, begun, letGo } = await openHeld();
    const worker = await work();
    const by = { typeName: "task", workerId: "w1" };
    expect(await sdk.value("queuert.job_type.idle", by)).toBe(2);
    const { id } = await start();
    await begun(1);
    // The worker reports its idle slots once a turn of the event loop.
    await expect.poll(() => sdk.value("queuert.job_type.idle", by)).toBe(1);
    expect(await sdk.value("queuert.job_type.processing", by)).toBe(1);
    letGo();
    await done(id);
    await worker.stop();
    await expectBalance(sdk);
  });

  it("balance after attempts that throw", async () => {
    const { sdk, queuert, start, done } = await openApp();
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "task",
        retryConfig: { initialDelayMs: 1 },
        process: ({ job, complete }) => {
          if (job.attempt < 3) throw new Error("at once");
          return complete(payload);
        },
      })
      .start(quick);
    await done((await start()).id);
    await worker.stop();
    await expectBalance(sdk);
  });

  it("balance when a worker leaves running jobs behind", async () => {
    const { sdk, start, work, begun, letGo } = await openHeld();
    for (let count = 0; count < 2; count++) await start();
    const worker = await work();
    await begun(2);
    await worker.stop();
    await expectBalance(sdk);
    // The abandoned attempt ends later, and is not counted again.
    letGo();
    await sleep(20);
    await expectBalance(sdk);
    const abandoned = sdk.spans().filter(({ name }) => name === "process task");
    expect(abandoned.map(({ attributes }) => attributes["queuert.job.attempt.result"])).toEqual([
      "abandoned",
      "abandoned",
    ]);
  });

  it("balance when a worker hands back acquired jobs that have not begun", async () => {
    const state = createInProcessStateAdapter();
    // A store that takes its time: short jobs are claimed ahead, and then long ones are in their way.
    const slow: typeof state = {
      ...state,
      acquireJobs: async (params) => {
        await sleep(10);
        return state.acquireJobs(params);
      },
    };
    const { sdk, queuert } = await openApp({ state: slow });
    const sequences = Array.from({ length: 100 }, () => ({
      typeName: "task" as const,
      input: payload,
    }));
    await queuert.transaction((tx) => queuert.startJobSequences({ ...tx, sequences }));
    let begunCount = 0;
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "task",
        leaseConfig: lease,
        process: async ({ complete, signal }) => {
          if (++begunCount < 60) return complete(payload);
          return new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(new Error("told to stop")));
          });
        },
      })
      .start(quick);
    const handedBack = (): Promise<number> =>
      sdk.value("queuert.job.handed_back", { typeName: "task" });
    await vi.waitFor(async () => expect(await handedBack()).toBeGreaterThan(0), patience);
    await worker.stop();
    await expectBalance(sdk);
  });

  it("balance when jobs are deleted, or finished by others, under their workers", async () => {
    const { sdk, queuert, start, work, begun, letGo } = await openHeld();
    const [deleted, finished] = [await start(), await start()];
    const worker = await work();
    await begun(2);
    await queuert.transaction((tx) =>
      queuert.deleteJobSequences({ ...tx, rootSequenceIds: [deleted.id] }),
    );
    const { id, typeName } = { ...finished, typeName: "task" as const };
    await queuert.transaction((tx) =>
      queuert.completeJobSequence({
        ...tx,
        id,
        typeName,
        complete: ({ job, complete }) => complete(job, async () => payload),
      }),
    );
    await vi.waitFor(async () => {
      expect(await sdk.value("queuert.job.attempt.not_found", { typeName })).toBe(1);
      expect(await sdk.value("queuert.job.attempt.already_completed", { typeName })).toBe(1);
    }, patience);
    letGo();
    await worker.stop();
    await expectBalance(sdk);
    expect(await sdk.value("queuert.job.attempt.completed")).toBe(0);
    const results = sdk.spans().map(({ attributes }) => attributes["queuert.job.attempt.result"]);
    expect(results.filter((result) => result === "lost")).toHaveLength(2);
  });

  it("balance when a lease cannot be renewed, expires, and another worker takes the job", async () => {
    const state = createInProcessStateAdapter();
    let isCutOff = false;
    const cutOff: typeof state = {
      ...state,
      renewLeases: async (params) => {
        if (isCutOff) throw new Error("cut off");
        return state.renewLeases(params);
      },
    };
    const first = await openHeld({ state: cutOff });
    const { id } = await first.start();
    const firstWorker = await first.work({ concurrency: 1 });
    await first.begun(1);
    await vi.waitFor(async () => {
      const renewed = await first.sdk.value("queuert.job.attempt.lease_renewed");
      expect(renewed).toBeGreaterThan(0);
    }, patience);
    isCutOff = true;
    const expired = (): Promise<number> => first.sdk.value("queuert.job.attempt.lease_expired");
    await vi.waitFor(async () => expect(await expired()).toBe(1), patience);

    const second = await openHeld({ state });
    const secondWorker = await second.work({ workerId: "w2" });
    await second.begun(1);
    expect(await second.sdk.value("queuert.job.reaped", { typeName: "task" })).toBe(1);
    // The first finds its job in other hands, and only then does the second finish it.
    first.letGo();
    await firstWorker.stop();
    second.letGo();
    await second.done(id);
    await secondWorker.stop();
    for (const { sdk } of [first, second]) await expectBalance(sdk);
    expect(await first.sdk.value("queuert.job.attempt.taken_by_another_worker")).toBe(1);
    expect(await first.sdk.value("queuert.job.attempt.completed")).toBe(0);
    expect(await second.sdk.value("queuert.job.attempt.completed")).toBe(1);
  });
});

describe("held transactions", () => {
  it("are counted once they have been open for long", async () => {
    const { sdk, queuert, start, done } = await openApp();
    const now = performance.now.bind(performance);
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "task",
        leaseConfig: { leaseMs: 60_000, renewIntervalMs: 20_000 },
        process: async ({ complete }) =>
          complete(async () => {
            const held = (): Promise<number> => sdk.value("queuert.job.held_transaction");
            const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 11_000);
            await vi.waitFor(async () => expect(await held()).toBe(1), patience);
            clock.mockRestore();
            return payload;
          }),
      })
      .start(quick);
    await done((await start()).id);
    await worker.stop();
    expect(await sdk.value("queuert.job.held_transaction", { typeName: "task" })).toBe(1);
  });
});
