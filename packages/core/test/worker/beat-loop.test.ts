import { spawn, spawnSync } from "node:child_process";
import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";
import { describe, expect, it, onTestFinished } from "vitest";
import type { AnyStateAdapter } from "../../src/adapters/state-adapter.ts";
import type { ProcessIdentity } from "../../src/adapters/operator-store.ts";
import { aJob } from "../../src/testing/factories.ts";
import { aBeat } from "../../src/testing/operator/beat.suite.ts";
import { eventually } from "../../src/testing/waiting.ts";
import manifest from "../../package.json" with { type: "json" };
import { isProvenGone, ownProcess } from "../../src/worker/process-identity.ts";

type Types = { task: { entry: true; input: object; output: null } };

const setUp = async (options: { workerRegistry?: boolean } = {}) => {
  const stateAdapter = createInProcessStateAdapter();
  const queuert = await createQueuert({
    stateAdapter,
    jobTypeDefinitions: defineUnionJobTypes<Types>(),
    log: () => {},
    ...options,
  });
  onTestFinished(() => queuert.close());
  const ran: string[] = [];
  const worker = queuert.createWorker().implementJobType({
    typeName: "task",
    concurrency: 3,
    process: async ({ job, complete }) => {
      ran.push(job.id);
      return complete(null);
    },
  });
  const state = stateAdapter as AnyStateAdapter;
  const workers = async () => (await state.operator?.listWorkers?.()) ?? [];
  return { state, queuert, worker, ran, workers };
};

/** A job that a process holds for an hour. */
const aHeldJob = async (state: AnyStateAdapter, process: ProcessIdentity): Promise<string> => {
  await state.createJobs({ jobs: [aJob()] });
  const types = [{ typeName: "task", leaseMs: 3_600_000, limit: 1 }];
  const { jobs } = await state.acquireJobs({ workerId: "mailer", limit: 1, types });
  const workers = [aBeat("before", { workerId: "mailer" })];
  await state.operator?.beat?.({ process, workers, forgetAfterMs: 1e9 });
  // The lease is older than the new worker.
  await new Promise((resolve) => setTimeout(resolve, 5));
  return jobs[0]?.job.id ?? "";
};

/** A process of this machine that has ended. */
const anEndedProcess = (): ProcessIdentity => {
  const { pid } = spawnSync(process.execPath, ["--version"]);
  return { ...ownProcess(), pid, processStart: "1" };
};

describe("the registry of workers", () => {
  it("has a worker from its start to its stop", async () => {
    const { worker, workers } = await setUp();
    const { stop, workerId } = await worker.start({ workerId: "mailer-1", concurrency: 7 });
    await eventually(async () => ((await workers()).length > 0 ? true : undefined), "a report");
    const [online] = await workers();
    expect(online).toMatchObject({
      ...ownProcess(),
      workerId,
      state: "running",
      concurrency: 7,
      busy: 0,
      beatMs: 36_000,
      libraryVersion: manifest.version,
      types: [{ typeName: "task", concurrency: 3 }],
    });
    await stop();
    expect(await workers()).toMatchObject([{ instanceId: online?.instanceId, state: "stopped" }]);
  });

  it("has one loop for all workers of a client", async () => {
    const { worker, workers } = await setUp();
    const running = await Promise.all(
      ["a", "b", "c"].map((workerId) => worker.start({ workerId })),
    );
    await eventually(async () => ((await workers()).length === 3 ? true : undefined), "3 reports");
    await running[1]?.stop();
    const states = new Map((await workers()).map(({ workerId, state }) => [workerId, state]));
    expect(Object.fromEntries(states)).toEqual({ a: "running", b: "stopped", c: "running" });
  });

  it("is empty when it is switched off", async () => {
    const { worker, workers } = await setUp({ workerRegistry: false });
    const { stop } = await worker.start();
    await stop();
    expect(await workers()).toEqual([]);
  });

  it("does not keep a worker from its work when it fails", async () => {
    const { state, worker, ran } = await setUp();
    const broken = { beat: () => Promise.reject(new Error("no such table")) };
    Object.assign(state.operator ?? {}, broken);
    await state.createJobs({ jobs: [aJob()] });
    const { stop } = await worker.start({ workerId: "mailer" });
    await eventually(async () => (ran.length > 0 ? true : undefined), "the job");
    await stop();
  });
});

describe("a worker that starts again under its old name", () => {
  it("acquires the jobs of its predecessor at once if that process is gone", async () => {
    const { state, worker, ran, workers } = await setUp();
    const id = await aHeldJob(state, anEndedProcess());
    const { stop } = await worker.start({ workerId: "mailer" });
    await eventually(async () => (ran.length > 0 ? true : undefined), "the predecessor's job");
    expect(ran).toEqual([id]);
    const before = (await workers()).find(({ instanceId }) => instanceId === "before");
    expect(before?.state).toBe("stopped");
    await stop();
  });

  const refusals: readonly (readonly [string, () => ProcessIdentity])[] = [
    ["the process is alive", () => ownProcess()],
    ["the process is of another machine", () => ({ ...anEndedProcess(), machine: "another" })],
    ["the machine is not known", () => ({ ...anEndedProcess(), machine: null })],
    ["the start of the process is not known", () => ({ ...anEndedProcess(), processStart: null })],
  ];
  it.each(refusals)("leaves them alone if %s", async (_, identity) => {
    const { state, worker, ran } = await setUp();
    const id = await aHeldJob(state, identity());
    const { stop } = await worker.start({ workerId: "mailer" });
    await stop();
    expect(ran).toEqual([]);
    expect((await state.getJobs({ ids: [id] }))[0]).toMatchObject({ status: "running" });
  });

  it("leaves them alone if one of two predecessors may live", async () => {
    const { state, worker, ran } = await setUp();
    await aHeldJob(state, anEndedProcess());
    const workers = [aBeat("other", { workerId: "mailer" })];
    const elsewhere = { ...anEndedProcess(), machine: "another" };
    await state.operator?.beat?.({ process: elsewhere, workers, forgetAfterMs: 1e9 });
    const { stop } = await worker.start({ workerId: "mailer" });
    await stop();
    expect(ran).toEqual([]);
  });

  it("leaves them alone under another name", async () => {
    const { state, worker, ran } = await setUp();
    await aHeldJob(state, anEndedProcess());
    const { stop } = await worker.start({ workerId: "mailer-2" });
    await stop();
    expect(ran).toEqual([]);
  });
});

describe("a process", () => {
  it("is proven gone by its pid and its start", async () => {
    const own = ownProcess();
    expect(own.processStart).toMatch(/^\d+$/);
    expect(isProvenGone(own)).toBe(false);
    // The pid is in use again, by a process that started later.
    expect(isProvenGone({ ...own, processStart: "1" })).toBe(true);
    const child = spawn(process.execPath, ["-e", "setTimeout(() => {}, 60_000)"]);
    const living = { ...own, pid: child.pid ?? 0 };
    const ended = new Promise((resolve) => child.once("exit", resolve));
    try {
      process.kill(living.pid, 0);
    } finally {
      child.kill("SIGKILL");
    }
    await ended;
    expect(isProvenGone(living)).toBe(true);
  });
});
