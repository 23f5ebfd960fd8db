import { Logger, makeWorkerUtils, run, runMigrations } from "graphile-worker";
import pg from "pg";
import {
  createUserRows,
  connectionsMax,
  inspectPostgres,
  inUserTransaction,
  withPgClient,
} from "../postgres-server.ts";
import {
  type Opened,
  type Participant,
  type Payload,
  payloadOf,
  type Target,
} from "../participant.ts";

type WorkerSettings = NonNullable<GraphileConfig.Preset["worker"]>;

const silent = new Logger(() => () => {});
const chainLength = 5;

// Its SQL API, for a transaction of the user: https://worker.graphile.org/docs/sql-add-job
const addJobQuery = { name: "add_job", text: "SELECT graphile_worker.add_job('single', $1::json)" };

const open = async ({ url }: Target, settings: WorkerSettings): Promise<Opened> => {
  const utils = await makeWorkerUtils({
    connectionString: url,
    maxPoolSize: connectionsMax,
    logger: silent,
  });
  const pool = new pg.Pool({ connectionString: url, max: connectionsMax });
  const write = "INSERT INTO user_row (text) VALUES ('done')";
  return {
    startOne: (payload) => utils.addJob("single", payload),
    startInTransaction: (payload) =>
      inUserTransaction(pool, (client) =>
        client.query({ ...addJobQuery, values: [JSON.stringify(payload)] }),
      ),
    startMany: (workload, unitCount) => {
      const identifier = workload === "chain" ? "step-1" : "single";
      return utils.addJobs(
        Array.from({ length: unitCount }, () => ({ identifier, payload: payloadOf(0) })),
      );
    },
    work: async ({ workload, concurrency, onRun }) => {
      const steps = Array.from({ length: chainLength }, (_, index) => `step-${index + 1}`);
      const runner = await run({
        preset: {
          worker: {
            ...{ connectionString: url, maxPoolSize: connectionsMax, logger: silent },
            ...{ concurrentJobs: concurrency, ...settings },
          },
        },
        noHandleSignals: true,
        taskList: {
          single: async (payload, helpers) => {
            onRun((payload as Payload).at); // The fields that `startOne` and `startMany` have stored.
            if (workload === "callback") await helpers.query(write);
          },
          ...Object.fromEntries(
            steps.map((step, index) => [
              step,
              async (payload, helpers) => {
                onRun((payload as Payload).at);
                const next = steps[index + 1];
                if (next !== undefined) await helpers.addJob(next, payload as Payload);
              },
            ]),
          ),
        },
      });
      return () => runner.stop();
    },
    close: async () => {
      await utils.release();
      await pool.end();
    },
  };
};

export const createGraphileWorker = (settings: WorkerSettings, text: string): Participant => ({
  store: "postgres",
  settings: `pool of ${connectionsMax}, LISTEN/NOTIFY, finished jobs are deleted; ${text}. A callback's row is written outside the completion`,
  workloads: ["value", "callback", "chain"],
  prepare: async (target) => {
    await runMigrations({ connectionString: target.url, logger: silent });
    await createUserRows(target);
  },
  open: (target) => open(target, settings),
  inspect: (target) =>
    inspectPostgres(target, [
      `graphile_worker._private_jobs WHERE is_available AND priority = 0 AND run_at <= now()
        AND task_id NOT IN (SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'other')`,
      "graphile_worker._private_jobs WHERE locked_at IS NOT NULL",
    ]),
  // Finished jobs are not kept: there is nothing to fill in for them.
  fill: (target, { scheduled, otherType }) =>
    withPgClient(target.url, async (client) => {
      await client.query(
        `SELECT graphile_worker.add_job('single', '{"at":0}'::json, run_at => now() + interval '1 day', priority => (n % 2)::int)
         FROM generate_series(1, ${scheduled}) AS n`,
      );
      await client.query(
        `SELECT graphile_worker.add_job('other', '{"at":0}'::json) FROM generate_series(1, ${otherType})`,
      );
      await client.query("VACUUM (ANALYZE)");
    }),
});
