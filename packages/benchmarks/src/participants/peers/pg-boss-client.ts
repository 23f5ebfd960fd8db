import PgBoss from "pg-boss";
import {
  createUserRows,
  connectionsMax,
  inspectPostgres,
  withPgClient,
} from "../postgres-server.ts";
import {
  type Opened,
  type Participant,
  type Payload,
  payloadOf,
  type Target,
} from "../participant.ts";

const queues = ["single", "step-1", "step-2", "step-3", "step-4", "step-5"];
// The shortest it takes.
const pollingIntervalSeconds = 0.5;

const start = async ({ url }: Target): Promise<PgBoss> => {
  const boss = new PgBoss({ connectionString: url, max: connectionsMax });
  // A round that fails reports it by a call. An error of maintenance at shutdown is not a failure.
  boss.on("error", () => {});
  return boss.start();
};

const open = async (target: Target, batchSize: number): Promise<Opened> => {
  const boss = await start(target);
  const write = (): Promise<unknown> =>
    boss.getDb().executeSql("INSERT INTO user_row (text) VALUES ('done')", []);
  return {
    startOne: (payload) => boss.send("single", payload),
    startMany: (workload, unitCount) => {
      const name = workload === "chain" ? "step-1" : "single";
      return boss.insert(Array.from({ length: unitCount }, () => ({ name, data: payloadOf(0) })));
    },
    work: async ({ workload, concurrency, onRun }) => {
      // It runs a batch at a time per worker: with one job in each, concurrency is a number of workers.
      // More than there are connections only wait for each other.
      const workersEach = batchSize === 1 ? Math.min(concurrency, connectionsMax) : 1;
      const isChain = workload === "chain";
      for (const [index, name] of queues.entries()) {
        if (isChain !== index > 0) continue;
        const next = isChain ? queues[index + 1] : undefined;
        for (
          let count = 0;
          count < (isChain ? Math.ceil(workersEach / 5) : workersEach);
          count += 1
        ) {
          const options = { batchSize, pollingIntervalSeconds };
          const id: string = await boss.work<Payload>(name, options, async (jobs) => {
            for (const { data } of jobs) onRun(data.at);
            if (workload === "callback") await Promise.all(jobs.map(write));
            if (next !== undefined)
              await boss.insert(jobs.map(({ data }) => ({ name: next, data })));
            // There may be more: it looks again without its pause.
            boss.notifyWorker(id);
          });
        }
      }
      return async () => {
        for (const name of queues) await boss.offWork(name);
      };
    },
    close: () => boss.stop({ graceful: false, wait: true }),
  };
};

export const createPgBoss = (batchSize: number, text: string): Participant => ({
  store: "postgres",
  settings: `pool of ${connectionsMax}, polling every ${pollingIntervalSeconds} s, notifyWorker after each batch; ${text}. A callback's row is written outside the completion`,
  workloads: ["value", "callback", "chain"],
  isSlow: batchSize === 1,
  prepare: async (target) => {
    const boss = await start(target);
    for (const name of queues) await boss.createQueue(name);
    await boss.stop({ graceful: false, wait: true });
    await createUserRows(target);
  },
  open: (target) => open(target, batchSize),
  inspect: (target) =>
    inspectPostgres(target, [
      "pgboss.job WHERE state < 'active' AND start_after <= now()",
      "pgboss.job WHERE state = 'active'",
    ]),
  fill: (target, { finished, scheduled }) =>
    withPgClient(target.url, async (client) => {
      await client.query(
        `INSERT INTO pgboss.job (name, data, state, start_after, completed_on, priority)
         SELECT 'single', '{"at":0,"text":"${"x".repeat(70)}"}',
           (CASE WHEN n <= ${finished} THEN 'completed' ELSE 'created' END)::pgboss.job_state,
           CASE WHEN n <= ${finished} THEN now() ELSE now() + interval '1 day' END,
           CASE WHEN n <= ${finished} THEN now() END, CASE WHEN n <= ${finished} THEN 0 ELSE n % 2 END
         FROM generate_series(1, ${finished + scheduled}) AS n`,
      );
      await client.query("VACUUM (ANALYZE)");
    }),
});
