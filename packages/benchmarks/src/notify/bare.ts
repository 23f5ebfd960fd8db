// The store's own statements and nothing else: the room for a better engine or a better transport.
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import { Redis } from "ioredis";
import pg from "pg";
import { nowMs } from "./client.ts";
import type { Starter } from "./others.ts";
import type { Addresses } from "./transports.ts";
import type { WorkerPlan } from "./worker-plan.ts";

const channel = "bare";
const typeName = "measured";

const open = async ({ postgresUrl, redisUrl }: Addresses) => {
  const pool = new pg.Pool({ connectionString: postgresUrl, max: 4, pipeline: true });
  const stateProvider = createPgPoolStateProvider(pool, { preparedStatements: true });
  const state = await createPgStateAdapter({ stateProvider });
  const redis = new Redis(redisUrl);
  const close = async (): Promise<void> => {
    redis.disconnect();
    await pool.end();
  };
  return { state, redis, close };
};

/** A job that commits by itself, then a message. */
export const openBare = async (addresses: Addresses): Promise<Starter> => {
  const { state, redis, close } = await open(addresses);
  await state.migrateToLatest();
  const newJob = (at: number) => ({
    kind: "entry" as const,
    typeName,
    input: JSON.stringify({ at }),
    schedule: null,
    priority: 0,
    awaitsBlockers: false,
    onBlockerFailure: "wait" as const,
    traceContext: null,
    rootSequenceId: null,
    originId: null,
    deduplication: null,
  });
  return {
    start: async () => {
      await state.createJobs({ jobs: [newJob(nowMs())] });
      await redis.publish(channel, "1");
    },
    close,
  };
};

/** A message, then one acquisition. The acquired jobs are completed, as the engine would. */
export const workBare = async (
  { addresses, concurrency: limit }: WorkerPlan,
  note: (at: number) => void,
): Promise<{ readonly acquisitions: () => number; readonly stop: () => Promise<void> }> => {
  const { state, redis, close } = await open(addresses);
  const workerId = "bare";
  const types = [{ typeName, leaseMs: 60_000, limit }];
  let count = 0;
  const look = async (): Promise<void> => {
    count += 1;
    const { jobs } = await state.acquireJobs({ workerId, limit, types });
    // Written by `openBare`.
    for (const { job } of jobs) note((JSON.parse(job.input) as { at: number }).at);
    if (jobs.length === 0) return;
    const outcome = { kind: "output", output: "null" } as const;
    await state.completeJobs({
      workerId,
      completions: jobs.map(({ job: { id, leaseVersion } }) => ({
        jobId: id,
        leaseVersion,
        outcome,
      })),
    });
  };
  redis.on("message", () => {
    look().catch((error: unknown) => console.error(error));
  });
  await redis.subscribe(channel);
  return { acquisitions: () => count, stop: close };
};
