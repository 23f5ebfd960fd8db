// Its worker has one setting, the number of workflows at a time. See https://openworkflow.dev/docs/workers.
// Its pool is that of postgres.js, whose size may stand in the URL. See https://openworkflow.dev/docs/postgres.
import { defineWorkflow, OpenWorkflow, type Workflow } from "openworkflow";
import { BackendPostgres } from "openworkflow/postgres";
import postgres from "postgres";
import {
  type Opened,
  type Participant,
  type Payload,
  payloadOf,
  type Target,
  type WorkOptions,
} from "../participant.ts";
import { connectionsMax, createUserRows, inspectPostgres } from "../postgres-server.ts";

const chainLength = 5;
const callersAtOnce = 100;

type Write = () => Promise<unknown>;
type PayloadWorkflow = Workflow<Payload, null, Payload>;

const single = ({ workload, onRun }: WorkOptions, write: Write): PayloadWorkflow =>
  defineWorkflow({ name: "single" }, async ({ input, step }): Promise<null> => {
    onRun(input.at);
    if (workload === "callback") {
      await step.run({ name: "write" }, async () => {
        await write();
      });
    }
    return null;
  });

const chain = ({ onRun }: WorkOptions): PayloadWorkflow =>
  defineWorkflow({ name: "chain" }, async ({ input, step }): Promise<null> => {
    for (let number = 1; number <= chainLength; number += 1)
      await step.run({ name: `step-${number}` }, () => onRun(input.at));
    return null;
  });

const connect = ({ url }: Target, runMigrations: boolean): Promise<BackendPostgres> => {
  const withMax = new URL(url);
  withMax.searchParams.set("max", String(connectionsMax));
  return BackendPostgres.connect(withMax.href, { runMigrations });
};

const open = async (target: Target): Promise<Opened> => {
  const backend = await connect(target, false);
  const client = new OpenWorkflow({ backend });
  const sql = postgres(target.url, { max: connectionsMax });
  const write: Write = () => sql`INSERT INTO user_row (text) VALUES ('done')`;
  const start = (payload: Payload, name: string): Promise<unknown> =>
    client.runWorkflow<Payload, null>({ name }, payload);
  return {
    startOne: (payload) => start(payload, "single"),
    startMany: async (workload, unitCount) => {
      const name = workload === "chain" ? "chain" : "single";
      let left = unitCount;
      const caller = async (): Promise<void> => {
        while (left > 0) {
          left -= 1;
          await start(payloadOf(0), name);
        }
      };
      await Promise.all(Array.from({ length: Math.min(callersAtOnce, unitCount) }, caller));
    },
    work: async (options) => {
      const worked = new OpenWorkflow({ backend });
      for (const { spec, fn } of [single(options, write), chain(options)])
        worked.defineWorkflow(spec, fn);
      const worker = worked.newWorker({ concurrency: options.concurrency });
      await worker.start();
      return () => worker.stop();
    },
    close: async () => {
      await backend.stop();
      await sql.end();
    },
  };
};

export const participant: Participant = {
  store: "postgres",
  settings: `concurrency as many as run at a time, a pool of ${connectionsMax}, polling between 0.1 s and 1 s; no bulk start. A chain is a workflow of five steps. A callback's row is written in a step, outside the completion`,
  workloads: ["value", "callback", "chain"],
  isSlow: true,
  prepare: async (target) => {
    await (await connect(target, true)).stop();
    await createUserRows(target);
  },
  open,
  inspect: (target) =>
    inspectPostgres(target, [
      "openworkflow.workflow_runs WHERE status = 'pending'",
      "openworkflow.workflow_runs WHERE status = 'running'",
    ]),
};
