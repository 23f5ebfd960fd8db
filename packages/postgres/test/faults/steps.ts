// The load of the fault tests: jobs that leave one row each, and clients that can be opened in any process.
import pg from "pg";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { createPgNotifyAdapter, createPgStateAdapter } from "../../src/index.ts";
import { createPgPoolNotifyProvider, createPgPoolStateProvider } from "../../src/providers/pg.ts";

export type StepDefinitions = {
  step: { input: { key: string; mode: string }; output: null };
};

export const leaseMs = 2_000;

/** No key and no unique index: a row that is written twice is counted twice. */
export const createDoneTable = async (pool: pg.Pool): Promise<void> => {
  await pool.query("CREATE TABLE done (key text NOT NULL, attempt integer)");
};

export const openClient = async (
  url: string,
  config: pg.PoolConfig = {},
  onNotifyError: (error: unknown) => void = () => {},
) => {
  const pool = new pg.Pool({ connectionString: url, max: 10, ...config });
  const stateAdapter = await createPgStateAdapter({
    stateProvider: createPgPoolStateProvider(pool),
    connectionRetryConfig: { maxRetries: 20, initialDelayMs: 20, maxDelayMs: 500 },
  });
  const notifyAdapter = await createPgNotifyAdapter({
    provider: createPgPoolNotifyProvider(pool),
    pingIntervalMs: 500,
    onError: onNotifyError,
  });
  const queuert = await createQueuert({
    stateAdapter,
    notifyAdapter,
    jobTypeDefinitions: defineUnionJobTypes<StepDefinitions>(),
    log: () => {},
  });
  const close = async (): Promise<void> => {
    await notifyAdapter.close();
    await pool.end();
  };
  return { pool, stateAdapter, queuert, close };
};

export type StepClient = Awaited<ReturnType<typeof openClient>>;

export const workOnSteps = ({ queuert }: StepClient, concurrency = 5) =>
  queuert
    .createWorker()
    .implementJobType({
      typeName: "step",
      leaseConfig: { leaseMs, renewIntervalMs: leaseMs / 4 },
      retryConfig: { initialDelayMs: 10, maxDelayMs: 50 },
      process: async ({ job, complete }) => {
        const { attempt } = job;
        const { key, mode } = job.input;
        const isFirst = attempt === 1;
        const die = (): void => void process.kill(process.pid, "SIGKILL");
        if (mode === "die before" && isFirst) die();
        if (mode.startsWith("by value")) {
          // One more turn of the event loop and it is being stored.
          if (mode === "by value, die" && isFirst) setImmediate(() => setImmediate(die));
          return complete(null);
        }
        return complete(async ({ client }) => {
          await client.query("INSERT INTO done VALUES ($1, $2)", [key, attempt]);
          if (mode === "die within" && isFirst) die();
          if (mode === "die committing" && isFirst) setImmediate(() => setImmediate(die));
          if (mode === "slow" && isFirst) await client.query("SELECT pg_sleep(5)");
          if (mode === "bad commit" && attempt < 3) {
            await client.query("INSERT INTO deferred VALUES (1), (1)");
          }
          return null;
        });
      },
    })
    .start({
      concurrency,
      reapIntervalMs: 200,
      pollIntervalMs: 200,
      shutdownTimeoutMs: 5_000,
      waitForStore: true,
    });

/** Starts one, again and again until the commit is confirmed; the key keeps the repetitions from doubling it. */
export const startSurely = async (client: StepClient, key: string, mode = "plain") => {
  for (let tries = 0; ; tries += 1) {
    try {
      return await client.queuert.transaction((context) =>
        client.queuert.startJobSequence({
          ...context,
          typeName: "step",
          input: { key, mode },
          deduplication: { key, strategy: "all" },
        }),
      );
    } catch (error) {
      if (tries > 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
};
