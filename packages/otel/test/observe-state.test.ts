import { setTimeout as sleep } from "node:timers/promises";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import { providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import { type AnyStateAdapter, createInProcessStateAdapter, UnrecoverableJobError } from "queuert";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { observeState, type ObserveStateOptions } from "../src/index.ts";
import { openApp, payload, quick } from "./app.ts";
import { createSdk, type Sdk } from "./sdk.ts";

const patience = { timeout: 10_000, interval: 10 };

const observe = (state: AnyStateAdapter, options: Partial<ObserveStateOptions> = {}) => {
  const sdk = createSdk();
  const { meter } = sdk;
  let askedCount = 0;
  const counting: AnyStateAdapter = {
    ...state,
    summarize: async (params) => {
      askedCount++;
      return state.summarize(params);
    },
  };
  const stateAdapter = counting;
  const observation = observeState({ stateAdapter, meter, intervalMs: 50, ...options });
  onTestFinished(() => observation.stop());
  return { sdk, observation, asked: () => askedCount };
};

/** Several adapters with connections of their own, as in several processes. */
const openPostgres = async (count: number): Promise<readonly AnyStateAdapter[]> => {
  const { url } = await providedPostgres().createDatabase();
  const adapters: AnyStateAdapter[] = [];
  for (let index = 0; index < count; index++) {
    const pool = new pg.Pool({ connectionString: url, max: 2 });
    onTestFinished(() => pool.end());
    const stateProvider = createPgPoolStateProvider(pool);
    const adapter = await createPgStateAdapter({ stateProvider });
    await adapter.migrateToLatest();
    adapters.push(adapter);
  }
  return adapters;
};

const isReported = async (sdk: Sdk): Promise<boolean> =>
  (await sdk.value("queuert.state.observed")) === 1;

describe("observeState", () => {
  it("measures jobs by type and status, ages, and jobs that need a person", async () => {
    const state = createInProcessStateAdapter();
    const { queuert, start } = await openApp({ state });
    const { sdk } = observe(state, { runningLongMs: 30 });
    await queuert.transaction(async (tx) => {
      await queuert.startJobSequence({
        ...tx,
        typeName: "waiting",
        input: payload,
        startBlockers: async () => [
          await queuert.startJobSequence({ ...tx, typeName: "task", input: payload }),
        ],
      });
    });
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "task",
        process: async () => {
          throw new UnrecoverableJobError("for good");
        },
      })
      .implementJobType({
        typeName: "first",
        process: ({ signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(new Error("told to stop")));
          }),
      })
      .start({ ...quick, concurrency: 1 });
    const jobs = "queuert.state.jobs";
    await vi.waitFor(async () => {
      expect(await sdk.value(jobs, { typeName: "task", status: "failed" })).toBe(1);
    }, patience);
    await start("first");
    await start("first");
    await vi.waitFor(async () => {
      expect(await sdk.value(jobs, { typeName: "waiting", status: "blocked" })).toBe(1);
      expect(await sdk.value("queuert.state.blocked_by_failed")).toBe(1);
      expect(await sdk.value(jobs, { typeName: "first", status: "running" })).toBe(1);
      expect(await sdk.value(jobs, { typeName: "first", status: "pending" })).toBe(1);
      const age = await sdk.value("queuert.state.oldest_ready_age", { typeName: "first" });
      expect(age).toBeGreaterThan(0);
      // Its own job runs for as long, and is no work.
      expect(await sdk.value("queuert.state.running_long")).toBe(1);
      expect(await sdk.value(jobs)).toBe(4);
    }, patience);
    await worker.stop();
    // A value that is gone is 0, not unknown.
    await vi.waitFor(async () => {
      expect(await sdk.value(jobs, { typeName: "first", status: "running" })).toBe(0);
      expect(await sdk.value(jobs, { typeName: "first", status: "pending" })).toBe(2);
    }, patience);
    const points = (await sdk.metrics()).get(jobs)?.dataPoints ?? [];
    expect(points.map(({ attributes }) => attributes["status"])).toContain("running");
  });

  it("counts leases that have expired", async () => {
    const state = createInProcessStateAdapter();
    const { start } = await openApp({ state });
    await start();
    const types = [{ typeName: "task", leaseMs: 1, limit: 1 }];
    await state.acquireJobs({ workerId: "gone", limit: 1, types });
    const { sdk } = observe(state);
    await vi.waitFor(
      async () => expect(await sdk.value("queuert.state.expired_leases")).toBe(1),
      patience,
    );
  });

  it("asks once per interval, however many processes observe", async () => {
    const adapters = await openPostgres(3);
    const intervalMs = 100;
    const observers = adapters.map((adapter) => observe(adapter, { intervalMs }));
    await vi.waitFor(
      () => expect(observers.some(({ observation }) => observation.isAsking)).toBe(true),
      patience,
    );
    const total = (): number => observers.reduce((sum, { asked }) => sum + asked(), 0);
    const [before, startedAt] = [total(), performance.now()];
    await sleep(2_000);
    const intervals = (performance.now() - startedAt) / intervalMs;
    expect(total() - before).toBeLessThanOrEqual(intervals + 1);
    expect(total() - before).toBeGreaterThan(intervals / 4);
    expect(observers.filter(({ observation }) => observation.isAsking)).toHaveLength(1);
    // Only the process that queries has values.
    const reporting = await Promise.all(observers.map(({ sdk }) => isReported(sdk)));
    expect(reporting).toEqual(observers.map(({ observation }) => observation.isAsking));
  });

  it("is taken over when the process that asks stops, and when it vanishes", async () => {
    const adapters = await openPostgres(3);
    const [first, second] = [observe(adapters[0] as AnyStateAdapter), adapters[1]];
    await vi.waitFor(() => expect(first.observation.isAsking).toBe(true), patience);
    let isGone = false;
    const vanishing: AnyStateAdapter = {
      ...(second as AnyStateAdapter),
      renewLeases: async (params) => {
        if (isGone) throw new Error("gone");
        return (second as AnyStateAdapter).renewLeases(params);
      },
    };
    const next = observe(vanishing, { onError: () => undefined });
    await first.observation.stop();
    await vi.waitFor(() => expect(next.observation.isAsking).toBe(true), patience);
    isGone = true;
    const last = observe(adapters[2] as AnyStateAdapter);
    await vi.waitFor(() => expect(last.observation.isAsking).toBe(true), patience);
  });

  it("reports 0 for `observed` while the store does not reply, and leaves no timer", async () => {
    const state = createInProcessStateAdapter();
    let isBroken = false;
    const flaky: typeof state = {
      ...state,
      summarize: async (params) => {
        if (isBroken) throw new Error("no store");
        return state.summarize(params);
      },
    };
    const errors: unknown[] = [];
    const { sdk, observation, asked } = observe(flaky, { onError: (error) => errors.push(error) });
    await vi.waitFor(async () => expect(await isReported(sdk)).toBe(true), patience);
    isBroken = true;
    await vi.waitFor(() => expect(errors.length).toBeGreaterThan(0), patience);
    expect(await isReported(sdk)).toBe(false);
    isBroken = false;
    await vi.waitFor(async () => expect(await isReported(sdk)).toBe(true), patience);
    await observation.stop();
    const before = asked();
    await sleep(200);
    expect(asked()).toBe(before);
    expect(await isReported(sdk)).toBe(false);
  });

  it("reports 0 for `observed` when a query hangs, and stops all the same", async () => {
    const state = createInProcessStateAdapter();
    const hanging: (() => void)[] = [];
    let isHanging = false;
    const slow: typeof state = {
      ...state,
      summarize: async (params) => {
        if (isHanging) await new Promise<void>((resolve) => hanging.push(resolve));
        return state.summarize(params);
      },
    };
    const errors: unknown[] = [];
    const { sdk, observation, asked } = observe(slow, { onError: (error) => errors.push(error) });
    await vi.waitFor(async () => expect(await isReported(sdk)).toBe(true), patience);
    isHanging = true;
    await vi.waitFor(() => expect(String(errors[0])).toContain("took longer than"), patience);
    expect(await isReported(sdk)).toBe(false);
    // No second call beside the one that hangs.
    const before = asked();
    await sleep(300);
    expect(asked()).toBe(before);
    // A late result is ignored; the next query counts.
    isHanging = false;
    for (const answer of hanging.splice(0)) answer();
    await vi.waitFor(async () => expect(await isReported(sdk)).toBe(true), patience);
    expect(asked()).toBeGreaterThan(before);

    isHanging = true;
    await vi.waitFor(() => expect(hanging).toHaveLength(1), patience);
    await observation.stop();
    expect(observation.isAsking).toBe(false);
    expect(await isReported(sdk)).toBe(false);
    for (const answer of hanging.splice(0)) answer();
    await sleep(50);
    expect(await isReported(sdk)).toBe(false);
  });
});
