// One process of one version of the library: it migrates, works until its input ends, and reports. The next version runs this
// file from its copy of the package. Arguments: the server's URL, the database and the id of the worker.
import { MongoClient } from "mongodb";
import {
  createQueuert,
  type DefineBlocker,
  type DefineContinuationInput,
  type DefineContinuationOutput,
  defineUnionJobTypes,
} from "queuert";
import { createMongoStateAdapter } from "../../src/index.ts";
import { createMongodbProvider } from "../../src/providers/mongodb.ts";

const [url = "", databaseName = "", workerId = ""] = process.argv.slice(2);
const client = new MongoClient(url);
const database = client.db(databaseName);
const done = database.collection<{ key: string }>("done");
const stateAdapter = await createMongoStateAdapter({
  stateProvider: createMongodbProvider({ client, databaseName }),
});
const report = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value)}\n`);
const { created } = await stateAdapter.migrateToLatest();

const aborted = "QUEUERT_MONGODB_TRANSACTION_ABORTED";
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
    // Conflicts are part of the load, and the build of an index aborts transactions. Both are run again.
    if ((error as { code?: unknown } | undefined)?.code === aborted) return;
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
    retryConfig: { initialDelayMs: 10, maxDelayMs: 100 },
    process: async ({ job, complete }) =>
      complete(async ({ session, continueWith }) => {
        await done.insertOne({ key: job.input }, { session });
        return continueWith({
          typeName: "second",
          input: job.input,
          startBlockers: async () => [
            await queuert.startJobSequence({ session, typeName: "byValue", input: job.input }),
          ],
        });
      }),
  })
  .implementJobType({
    typeName: "second",
    retryConfig: { initialDelayMs: 10, maxDelayMs: 100 },
    process: async ({ job, complete }) =>
      complete(async ({ session }) => {
        await done.insertOne({ key: `${job.input} again` }, { session });
        return null;
      }),
  })
  .start({ workerId, concurrency: 5, pollIntervalMs: 50 });
report({ created });

let started = 0;
const ending = new AbortController();
process.stdin.on("end", () => ending.abort()).resume();
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
while (!ending.signal.aborted) {
  const key = `${workerId} ${started}`;
  await queuert.startJobSequence({ autocommit: true, typeName: "first", input: key });
  started += 1;
  // A load that both workers can follow.
  if (started % 5 === 0) await pause(50);
}
const unfinished = { status: { $ne: "completed" } };
while ((await database.collection("queuert_jobs").findOne(unfinished)) !== null) await pause(50);
await worker.stop();
const again = await stateAdapter.migrateToLatest();
report({ started, problems, createdAgain: again.created, foreign: again.foreign });
await client.close();
