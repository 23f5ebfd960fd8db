// SQLite's clock is set back under a running worker: the function of the clock is replaced in every connection.
import { createQueuert, defineUnionJobTypes, type LogEvent } from "queuert";
import { expect, it, onTestFinished, vi } from "vitest";
import { createSqliteStateAdapter } from "../src/index.ts";
import { createBetterSqlite3Provider } from "../src/providers/better-sqlite3.ts";
import { BetterSqlite3Database } from "./better-sqlite3.ts";
import { aNewJob, temporaryFile } from "./open-store.ts";

const hourMs = 3_600_000;

it("a step back of the clock is reported, and keeps no due job waiting", async () => {
  let stepMs = 0;
  class SteppedDatabase extends BetterSqlite3Database {
    constructor(...given: ConstructorParameters<typeof BetterSqlite3Database>) {
      super(...given);
      this.function("unixepoch", { varargs: true }, () => (Date.now() + stepMs) / 1_000);
    }
  }
  const stateProvider = await createBetterSqlite3Provider({
    filename: temporaryFile(),
    driver: SteppedDatabase,
  });
  onTestFinished(() => stateProvider.close());
  const adapter = await createSqliteStateAdapter({ stateProvider });
  const events: LogEvent[] = [];
  const queuert = await createQueuert({
    stateAdapter: adapter,
    jobTypeDefinitions: defineUnionJobTypes<{ task: { input: string; output: null } }>(),
    log: (event) => void events.push(event),
  });
  onTestFinished(() => queuert.close());
  const begun: string[] = [];
  await queuert
    .createWorker()
    .implementJobType({
      typeName: "task",
      process: async ({ job, complete }) => {
        begun.push(job.input);
        return complete(null);
      },
    })
    .start({ pollIntervalMs: 20 });
  const start = (input: string) =>
    queuert.startJobSequence({ autocommit: true, typeName: "task", input });
  await start("before");
  await vi.waitFor(() => expect(begun).toEqual(["before"]));

  // Stored by the clock before the step, and committed after it.
  await adapter.runInTransaction(async (context) => {
    await adapter.createJobs({ context, jobs: [aNewJob({ input: '"at the step"' })] });
    stepMs = -hourMs;
  });
  await vi.waitFor(() => expect(begun).toEqual(["before", "at the step"]), { timeout: 5_000 });
  await start("after");
  await vi.waitFor(() => expect(begun).toHaveLength(3));
  const steps = events.filter(({ type }) => type === "storeClockStepped");
  expect(steps).toHaveLength(1);
  expect(steps[0]?.data["stepMs"]).toBeCloseTo(-hourMs, -5);
});
