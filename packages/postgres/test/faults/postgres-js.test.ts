// The same through postgres.js, whose transactions break in ways of their own when a connection is lost within them.
import postgres from "postgres";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { createPgNotifyAdapter, createPgStateAdapter } from "../../src/index.ts";
import {
  createPostgresJsNotifyProvider,
  createPostgresJsStateProvider,
} from "../../src/providers/postgres-js.ts";
import { useFaultRig } from "./fault-rig.ts";
import { leaseMs, type StepDefinitions } from "./steps.ts";
import { surviveUnderLoad } from "./survive-under-load.ts";

const rig = useFaultRig();

/** As many transactions at a time as connections: one that is never given back is missed. */
const startWorker = async (): Promise<void> => {
  const sql = postgres(rig.url, {
    max: 5,
    fetch_types: false,
    onnotice: () => {},
    backoff: () => 0.05,
  });
  const notifyAdapter = await createPgNotifyAdapter({
    provider: createPostgresJsNotifyProvider(sql),
    pingIntervalMs: 500,
  });
  const queuert = await createQueuert({
    stateAdapter: await createPgStateAdapter({
      stateProvider: createPostgresJsStateProvider(sql, { preparedStatements: true }),
      connectionRetryConfig: { maxRetries: 20, initialDelayMs: 20, maxDelayMs: 500 },
    }),
    notifyAdapter,
    jobTypeDefinitions: defineUnionJobTypes<StepDefinitions>(),
    log: () => {},
  });
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "step",
      leaseConfig: { leaseMs, renewIntervalMs: leaseMs / 4 },
      retryConfig: { initialDelayMs: 10, maxDelayMs: 50 },
      process: async ({ job: { input, attempt }, complete }) =>
        complete(async ({ sql: tx }) => {
          await tx`INSERT INTO done VALUES (${input.key}, ${attempt})`;
          return null;
        }),
    })
    .start({
      concurrency: 5,
      reapIntervalMs: 200,
      pollIntervalMs: 200,
      shutdownTimeoutMs: 5_000,
      waitForStore: true,
    });
  rig.endings.push(async () => {
    await worker.stop();
    await notifyAdapter.close();
    await sql.end({ timeout: 5 });
  });
};

surviveUnderLoad(rig, startWorker);
