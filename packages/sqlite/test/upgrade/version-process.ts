// One process of one version of the library: it migrates, works until its input ends, and reports. The next version runs this
// file from its copy of the package. Arguments: the file and the id of the worker.
import { createRequire } from "node:module";
import type BetterSqlite3 from "better-sqlite3";
import {
  createQueuert,
  type DefineBlocker,
  type DefineContinuationInput,
  type DefineContinuationOutput,
  defineUnionJobTypes,
} from "queuert";
import {
  checkSqliteSchema,
  createSqliteStateAdapter,
  migrateSqliteSchema,
} from "../../src/index.ts";
import { createBetterSqlite3Provider } from "../../src/providers/better-sqlite3.ts";

const [filename = "", workerId = ""] = process.argv.slice(2);
const driver = createRequire(import.meta.url)(
  Number(process.versions.node.split(".")[0]) >= 22 ? "better-sqlite3-node22" : "better-sqlite3",
) as typeof BetterSqlite3;
const stateProvider = await createBetterSqlite3Provider({
  filename,
  synchronous: "NORMAL",
  driver,
});
const report = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
const migrate = async (): Promise<readonly string[]> =>
  (await migrateSqliteSchema({ stateProvider })).applied.map(({ name }) => name);
const applied = await migrate();
const stateAdapter = await createSqliteStateAdapter({ stateProvider });

const problems: string[] = [];
const queuert = await createQueuert({
  stateAdapter,
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
const insert = (client: BetterSqlite3.Database, key: string): void =>
  void client.prepare("INSERT INTO done VALUES (?)").run(key);
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
        insert(client, job.input);
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
        insert(client, `${job.input} again`);
        return null;
      }),
  })
  .start({ workerId, concurrency: 5, pollIntervalMs: 20 });
report({ applied });

let started = 0;
const ending = new AbortController();
process.stdin.on("end", () => ending.abort()).resume();
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
while (!ending.signal.aborted) {
  const key = `${workerId} ${started}`;
  await queuert.startJobSequence({ autocommit: true, typeName: "first", input: key });
  started += 1;
  // A load that both workers can follow.
  if (started % 5 === 0) await pause(20);
}
const isIdle = (): Promise<boolean> =>
  stateProvider.read((connection) => {
    const unfinished = "SELECT 1 FROM queuert_job WHERE status <> 'completed' LIMIT 1";
    return connection.prepare(unfinished).get() === undefined;
  });
while (!(await isIdle())) await pause(20);
await worker.stop();
await checkSqliteSchema({ stateProvider });
report({ started, problems, appliedAgain: await migrate() });
await stateProvider.close();
