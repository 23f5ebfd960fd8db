import { createOtelObservabilityAdapter } from "@queuert/otel";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import pg from "pg";
import { createQueuert } from "queuert";
import { jobTypes } from "./job-types.ts";

/** The same in both processes. The SDK has been registered before: metrics go to the one that is there now. */
export const openQueuert = async (url: string) => {
  const pool = new pg.Pool({ connectionString: url, max: 10 });
  const stateAdapter = await createPgStateAdapter({
    stateProvider: createPgPoolStateProvider(pool),
  });
  await stateAdapter.migrateToLatest();
  const queuert = await createQueuert({
    stateAdapter,
    jobTypeDefinitions: jobTypes,
    observabilityAdapter: createOtelObservabilityAdapter(),
  });
  const close = async (): Promise<void> => {
    await queuert.close();
    await pool.end();
  };
  return { queuert, stateAdapter, close };
};
