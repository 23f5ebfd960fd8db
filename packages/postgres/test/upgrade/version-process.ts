// One process of one version of the library: it migrates, works until its input ends, and reports. The next version runs this
// file from its copy of the package. Arguments: the database's URL and the id of the worker.
import pg from "pg";
import {
  createQueuert,
  type DefineBlocker,
  type DefineContinuationInput,
  type DefineContinuationOutput,
  defineUnionJobTypes,
} from "queuert";
import { createPgNotifyAdapter, createPgStateAdapter } from "../../src/index.ts";
import { createPgPoolNotifyProvider, createPgPoolStateProvider } from "../../src/providers/pg.ts";

const [url = "", workerId = ""] = process.argv.slice(2);
const pool = new pg.Pool({ connectionString: url, max: 10 });
const stateAdapter = await createPgStateAdapter({ stateProvider: createPgPoolStateProvider(pool) });
const report = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
const applied = await stateAdapter.migrateToLatest();

const problems: string[] = [];
const notifyAdapter = await createPgNotifyAdapter({ provider: createPgPoolNotifyProvider(pool) });
const queuert = await createQueuert({
  stateAdapter,
  notifyAdapter,
  jobTypeDefinitions: defineUnionJobTypes<{
    byValue: { input: string; output: null };
    first: { input: string; output: DefineContinuationOutput<"second"> };
    second: {
      input: DefineContinuationInput<string>;
      output: null;
      blockers: [DefineBlocker<"byValue">];
    };
  }>(),
  log: ({ level, message, error }) => {
    if (level === "warn" || level === "error") problems.push(`${message} ${String(error)}`);
  },
});
const worker = await queuert
  .createWorker()
  .implementJobType({
    typeName: "byValue",
    process: async ({ complete }) => complete(null),
  })
  .implementJobType({
    typeName: "first",
    process: async ({ job, complete }) =>
      complete(async ({ client, continueWith }) => {
        await client.query("INSERT INTO done VALUES ($1)", [job.input]);
        return continueWith({
          typeName: "second",
          input: job.input,
          startBlockers: async () => [
            await queuert.startJobSequence({ client, typeName: "byValue", input: job.input }),
          ],
        });
      }),
  })
  .implementJobType({
    typeName: "second",
    process: async ({ job, complete }) =>
      complete(async ({ client }) => {
        await client.query("INSERT INTO done VALUES ($1)", [`${job.input} again`]);
        return null;
      }),
  })
  .start({ workerId, concurrency: 5, pollIntervalMs: 200 });
report({ applied });

let started = 0;
const ending = new AbortController();
process.stdin.on("end", () => ending.abort()).resume();
while (!ending.signal.aborted) {
  const key = `${workerId} ${started}`;
  await queuert.startJobSequence({ autocommit: true, typeName: "first", input: key });
  started += 1;
  // A load that both workers can follow.
  if (started % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 20));
}
const isIdle = async (): Promise<boolean> => {
  const { rows } = await pool.query("SELECT FROM queuert.job WHERE status <> 'completed' LIMIT 1");
  return rows.length === 0;
};
while (!(await isIdle())) await new Promise((resolve) => setTimeout(resolve, 50));
await worker.stop();
await notifyAdapter.close();
report({
  started,
  problems,
  appliedAgain: await stateAdapter.migrateToLatest(),
  differences: await stateAdapter.checkSchema(),
});
await pool.end();
