// Faults below an ORM: no job is lost and no job is done twice, although the ORM meets the fault first.
import { setTimeout as sleep } from "node:timers/promises";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { describe, expect, it } from "vitest";
import { createPgStateAdapter } from "../../src/index.ts";
import { useFaultRig } from "../faults/fault-rig.ts";
import { leaseMs, type StepDefinitions } from "../faults/steps.ts";
import { terminateConnections } from "../fixtures.ts";
import { orms } from "./clients/index.ts";
import type { OpenOrm, OrmClientOptions } from "./orm-client.ts";

const rig = useFaultRig();

const startWorker = async (
  open: OpenOrm,
  options: OrmClientOptions,
  concurrency: number,
): Promise<void> => {
  const orm = await open(rig.url, options);
  const queuert = await createQueuert({
    stateAdapter: await createPgStateAdapter({
      stateProvider: orm.stateProvider,
      connectionRetryConfig: { maxRetries: 20, initialDelayMs: 20, maxDelayMs: 500 },
    }),
    jobTypeDefinitions: defineUnionJobTypes<StepDefinitions>(),
    log: () => undefined,
  });
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "step",
      leaseConfig: { leaseMs, renewIntervalMs: leaseMs / 4 },
      retryConfig: { initialDelayMs: 10, maxDelayMs: 50 },
      process: async ({ job, complete }) =>
        complete(async (context) => {
          await orm.insert(context, job.input.key);
          return null;
        }),
    })
    .start({
      concurrency,
      reapIntervalMs: 200,
      pollIntervalMs: 100,
      shutdownTimeoutMs: 5_000,
      waitForStore: true,
    });
  rig.endings.push(async () => {
    await worker.stop();
    await queuert.close();
    await orm.close();
  });
};

describe.each(orms)("%s", (_, open) => {
  it("survives restarts of the server and lost connections under load", async () => {
    await startWorker(open, { connectionsMax: 5 }, 5);
    const started = rig.startMany(100);
    await sleep(100);
    await rig.server.restart();
    for (let round = 0; round < 4; round += 1) {
      await sleep(60);
      await terminateConnections(rig.url);
    }
    await started;
    await rig.expectEachOnce(100);
  }, 60_000);

  it("a pool smaller than the concurrency, and timeouts of it, lose nothing", async () => {
    await startWorker(open, { connectionsMax: 2, acquireTimeoutMs: 1_000 }, 20);
    await rig.startMany(60);
    await rig.expectEachOnce(60);
    const { rows } = await rig.client.pool.query("SELECT DISTINCT attempt FROM queuert.job");
    expect(rows).toEqual([{ attempt: 1 }]);
  }, 60_000);
});
