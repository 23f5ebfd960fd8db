// The cost of a job is counted in steps, not in time: the same beside a full store as in an empty
// one.
import { describe, expect, it } from "vitest";
import { workCount } from "../../src/in-process/work-count.ts";
import { aJob, jobs } from "../../src/testing/factories.ts";
import { createStateSteps } from "../../src/testing/steps.ts";
import { aStore, type TestStore } from "./a-store.ts";

const batch = 100;

const createAcquireComplete = async ({ state }: TestStore, count: number): Promise<void> => {
  await state.createJobs({ jobs: jobs(count) });
  for (;;) {
    const { jobs: acquired } = await state.acquireJobs({
      workerId: "worker",
      limit: batch,
      types: [{ typeName: "task", leaseMs: 60_000, limit: batch }],
    });
    if (acquired.length === 0) return;
    await state.completeJobs({
      workerId: "worker",
      completions: acquired.map(({ job }) => ({
        jobId: job.id,
        leaseVersion: job.leaseVersion,
        outcome: { kind: "output", output: "1" },
      })),
    });
  }
};

const stepsFor = async (work: () => Promise<void>): Promise<number> => {
  const before = workCount.steps;
  await work();
  return workCount.steps - before;
};

describe("the cost of a job", () => {
  it("is the same beside finished, scheduled and blocked jobs, of any priority", async () => {
    const empty = aStore();
    const inEmpty = await stepsFor(() => createAcquireComplete(empty, 500));
    const full = aStore();
    await createAcquireComplete(full, 20_000);
    await full.state.createJobs({
      jobs: Array.from({ length: 10_000 }, (_, index) =>
        aJob({ schedule: { afterMs: 3_600_000 + index }, priority: index % 100 }),
      ),
    });
    await full.state.createJobs({ jobs: jobs(1_000, { awaitsBlockers: true, priority: 5 }) });
    const inFull = await stepsFor(() => createAcquireComplete(full, 500));
    expect(inEmpty).toBeGreaterThan(500);
    // One look at the scheduled jobs per acquisition is all the difference there may be.
    expect(Math.abs(inFull - inEmpty)).toBeLessThan(10);
  });

  it("that is rolled back is the same beside finished ones", async () => {
    const store = aStore();
    const { state, clock } = store;
    await createAcquireComplete(store, 5_000);
    clock.ms += 1_000;
    const rolledBack = new Error("rolled back on purpose");
    const steps = await stepsFor(async () => {
      const transaction = state.runInTransaction(async (context) => {
        await state.createJobs({ context, jobs: jobs(10) });
        throw rolledBack;
      });
      await expect(transaction).rejects.toBe(rolledBack);
    });
    expect(steps).toBeLessThan(100);
  });

  it("of a start under a key does not grow with the sequences that had the key before", async () => {
    const { state } = aStore();
    const steps = createStateSteps(state);
    const deduplication = { key: "daily", strategy: "completed", windowMs: null } as const;
    let looked = 0;
    for (let day = 0; day < 2_000; day++) {
      await steps.completeWithoutWorker(await steps.createOne({ deduplication }));
    }
    const counted = aJob({ deduplication });
    const [created] = await state.createJobs({ jobs: [counted] });
    const spied = Object.defineProperty({ ...deduplication }, "windowMs", {
      get: () => {
        looked++;
        return null;
      },
    });
    const [found] = await state.createJobs({ jobs: [aJob({ deduplication: spied })] });
    expect(found).toMatchObject({ deduplicated: true, job: { id: created?.job.id } });
    expect(looked).toBe(1);
  });
});
