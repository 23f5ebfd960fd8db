// The pause between two looks of a queue, and the number of workflows at a time, are settings of its queues.
// See https://docs.dbos.dev/typescript/reference/queues.
// Its client starts them, also in the user's transaction. See https://docs.dbos.dev/typescript/reference/client.
import { DBOS, DBOSClient } from "@dbos-inc/dbos-sdk";
import pg from "pg";
import {
  type Opened,
  type Participant,
  type Payload,
  payloadOf,
  type Target,
  type WorkOptions,
} from "../participant.ts";
import {
  connectionsMax,
  createUserRows,
  inspectPostgres,
  inUserTransaction,
  userRowQuery,
} from "../postgres-server.ts";

const queueName = "jobs";
// A second by default.
const minPollingIntervalMs = 10;
const chainLength = 5;
const callersAtOnce = 100;
const application = "bench";

const silent = { info: () => {}, debug: () => {}, warn: () => {}, error: () => {} };

/** Workflows are registered once in a process; these are the options of the worker that works now. */
interface Working extends WorkOptions {
  readonly write: () => Promise<unknown>;
}
let working: Working | undefined;

const single = async ({ at }: Payload): Promise<null> => {
  working?.onRun(at);
  if (working?.workload === "callback") await DBOS.runStep(working.write, { name: "write" });
  return null;
};

const chain = async ({ at }: Payload): Promise<null> => {
  const run = async (): Promise<void> => working?.onRun(at);
  for (let step = 1; step <= chainLength; step += 1)
    await DBOS.runStep(run, { name: `step-${step}` });
  return null;
};

DBOS.registerWorkflow(single, { name: "single" });
DBOS.registerWorkflow(chain, { name: "chain" });

const work = async (
  { url }: Target,
  pool: pg.Pool,
  options: WorkOptions,
): Promise<() => Promise<void>> => {
  working = { ...options, write: () => pool.query(userRowQuery) };
  DBOS.setConfig({
    ...{ name: application, applicationVersion: "1", executorID: String(process.pid) },
    ...{ systemDatabaseUrl: url, systemDatabasePoolSize: connectionsMax, logger: silent },
  });
  await DBOS.launch();
  const workerConcurrency = options.concurrency;
  const onConflict = "always_update";
  await DBOS.registerQueue(queueName, { workerConcurrency, minPollingIntervalMs, onConflict });
  return () => DBOS.shutdown({ workflowCompletionTimeoutMS: 5_000 });
};

const open = async (target: Target): Promise<Opened> => {
  const { url } = target;
  const client = await DBOSClient.create({
    ...{ systemDatabaseUrl: url, systemDatabasePoolSize: connectionsMax },
    ...{ applicationName: application, logger: silent },
  });
  const pool = new pg.Pool({ connectionString: url, max: connectionsMax });
  const startOne = (payload: Payload, workflowName = "single"): Promise<unknown> =>
    client.enqueue({ queueName, workflowName }, payload);
  return {
    startOne: (payload) => startOne(payload),
    startInTransaction: (payload) =>
      inUserTransaction(pool, (connection) =>
        client.enqueueInTransaction(connection, { queueName, workflowName: "single" }, payload),
      ),
    startMany: async (workload, unitCount) => {
      let left = unitCount;
      const caller = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await startOne(payloadOf(0), workload === "chain" ? "chain" : "single");
        }
      };
      await Promise.all(Array.from({ length: Math.min(callersAtOnce, unitCount) }, caller));
    },
    work: (options) => work(target, pool, options),
    close: async () => {
      await client.destroy();
      await pool.end();
    },
  };
};

export const participant: Participant = {
  store: "postgres",
  settings: `workerConcurrency as many as run at a time, minPollingIntervalMs ${minPollingIntervalMs} (1 s by default), a system pool of ${connectionsMax}; no bulk start. A chain is a workflow of five steps. A callback's row is written in a step, outside the completion`,
  workloads: ["value", "callback", "chain"],
  isSlow: true,
  prepare: async (target) => {
    await DBOS.migrate(target.url);
    await createUserRows(target);
  },
  open,
  inspect: (target) =>
    inspectPostgres(target, [
      `dbos.workflow_status WHERE status = 'ENQUEUED' AND queue_name = '${queueName}'`,
      `dbos.workflow_status WHERE status = 'PENDING' AND queue_name = '${queueName}'`,
    ]),
};
