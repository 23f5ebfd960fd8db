import pg from "pg";
import { PgBoss } from "pg-boss";
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
  type WorkOptions,
} from "../participant.ts";

const queues = ["single", "step-1", "step-2", "step-3", "step-4", "step-5"];
// Without a worker.
const otherQueue = "other";
// The shortest it takes. With notifications it polls only every 30 s.
const pollingIntervalSeconds = 0.5;
const writeSql = "INSERT INTO user_row (text) VALUES ('done')";

export interface PgBossSettings {
  readonly batchSize: number;
  /** How many batches at a time. Each has a worker: `notifyWorker` wakes one by its id. */
  readonly workerCount: number;
  /** An outcome for each job of a batch, or the batch's transaction for its writes. */
  readonly mode: "whole batch" | "per job" | "transactional";
}

const start = async ({ url }: Target): Promise<PgBoss> => {
  const boss = new PgBoss({ connectionString: url, max: connectionsMax, useListenNotify: true });
  // A round that fails reports it by a call. An error of maintenance at shutdown is not a failure.
  boss.on("error", () => {});
  return boss.start();
};

type Jobs = readonly { readonly id: string; readonly data: Payload }[];
type Execute = (sql: string) => Promise<unknown>;

/** Registers a worker of the mode, which only the literal options of a call select. */
const register = (
  boss: PgBoss,
  name: string,
  { batchSize, mode }: PgBossSettings,
  handle: (jobs: Jobs, execute: Execute) => Promise<unknown>,
): Promise<string> => {
  const options = { batchSize, pollingIntervalSeconds, burstWhenBatchFull: true };
  const execute: Execute = (sql) => boss.getDb().executeSql(sql, []);
  if (mode === "transactional") {
    return boss.work<Payload, void, typeof options & { transactional: true }>(
      name,
      { ...options, transactional: true },
      async (jobs, tx) => void (await handle(jobs, (sql) => tx.executeSql(sql, []))),
    );
  }
  if (mode === "per job") {
    return boss.work<Payload, void, typeof options & { perJobResults: true }>(
      name,
      { ...options, perJobResults: true },
      async (jobs) => {
        await handle(jobs, execute);
        return jobs.map(({ id }) => ({ id, status: "completed" as const }));
      },
    );
  }
  return boss.work<Payload>(name, options, async (jobs) => void (await handle(jobs, execute)));
};

const work = async (
  boss: PgBoss,
  settings: PgBossSettings,
  { workload, onRun }: WorkOptions,
): Promise<() => Promise<void>> => {
  const isChain = workload === "chain";
  const used = queues.filter((_, index) => isChain === index > 0);
  const workersEach = isChain ? Math.ceil(settings.workerCount / 5) : settings.workerCount;
  for (const [index, name] of used.entries()) {
    const next = isChain ? used[index + 1] : undefined;
    for (let count = 0; count < workersEach; count += 1) {
      const id: string = await register(boss, name, settings, async (jobs, execute) => {
        for (const { data } of jobs) onRun(data.at);
        if (workload === "callback") await Promise.all(jobs.map(() => execute(writeSql)));
        if (next !== undefined) await boss.insert(next, toInserts(jobs));
        // There may be more: it looks again without its pause. Full batches do so by themselves.
        boss.notifyWorker(id);
      });
    }
  }
  return async () => {
    for (const name of used) await boss.offWork(name);
  };
};

const toInserts = (jobs: Jobs) => jobs.map(({ data }) => ({ data }));

const open = async (target: Target, settings: PgBossSettings): Promise<Opened> => {
  const boss = await start(target);
  const pool = new pg.Pool({ connectionString: target.url, max: connectionsMax });
  return {
    startOne: (payload) => boss.send("single", payload),
    startInTransaction: (payload) =>
      inUserTransaction(pool, (client) => {
        // The caller's connection: https://timgit.github.io/pg-boss/#/./api/jobs
        const executeSql = (sql: string, values?: unknown[]) => client.query(sql, values);
        return boss.send("single", payload, { db: { executeSql } });
      }),
    startMany: (workload, unitCount) => {
      const name = workload === "chain" ? "step-1" : "single";
      return boss.insert(
        name,
        Array.from({ length: unitCount }, () => ({ data: payloadOf(0) })),
      );
    },
    work: (options) => work(boss, settings, options),
    close: async () => {
      await boss.stop({ graceful: false });
      await pool.end();
    },
  };
};

export const createPgBoss = (settings: PgBossSettings, text: string): Participant => ({
  store: "postgres",
  settings: `pool of ${connectionsMax}, LISTEN/NOTIFY, burstWhenBatchFull, notifyWorker after each batch; ${text}`,
  workloads:
    settings.mode === "transactional" ? ["value", "callback"] : ["value", "callback", "chain"],
  isSlow: settings.batchSize === 1,
  prepare: async (target) => {
    const boss = await start(target);
    for (const name of [...queues, otherQueue]) await boss.createQueue(name, { notify: true });
    await boss.stop({ graceful: false });
    await createUserRows(target);
  },
  open: (target) => open(target, settings),
  inspect: (target) =>
    inspectPostgres(target, [
      `pgboss.job WHERE state < 'active' AND start_after <= now() AND name <> '${otherQueue}'`,
      "pgboss.job WHERE state = 'active'",
    ]),
  fill: (target, { finished, scheduled, otherType }) =>
    withPgClient(target.url, async (client) => {
      await client.query(
        `INSERT INTO pgboss.job (name, data, state, start_after, completed_on, priority)
         SELECT 'single', '{"at":0,"text":"${"x".repeat(70)}"}',
           (CASE WHEN n <= ${finished} THEN 'completed' ELSE 'created' END)::pgboss.job_state,
           CASE WHEN n <= ${finished} THEN now() ELSE now() + interval '1 day' END,
           CASE WHEN n <= ${finished} THEN now() END, CASE WHEN n <= ${finished} THEN 0 ELSE n % 2 END
         FROM generate_series(1, ${finished + scheduled}) AS n`,
      );
      await client.query(
        `INSERT INTO pgboss.job (name, data, state)
         SELECT '${otherQueue}', '{"at":0,"text":"${"x".repeat(70)}"}', 'created'
         FROM generate_series(1, ${otherType})`,
      );
      await client.query("VACUUM (ANALYZE)");
    }),
});
