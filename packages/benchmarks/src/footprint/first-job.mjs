// Runs the built packages in plain Node, as an application does. Measures the time until they are
// imported, and until the first job of the process is done.
// Plain JavaScript, since a compiler on the way would be measured too.
//   node first-job.mjs <in-process|sqlite|postgres|mongodb> <url>
import { performance } from "node:perf_hooks";

const [store = "", url = ""] = process.argv.slice(2);
// Since the process began: a user waits for Node's own start as well.
const nodeMs = performance.now();

const openStores = {
  "in-process": async ({ createInProcessStateAdapter }) => {
    const importedMs = performance.now();
    return { importedMs, stateAdapter: createInProcessStateAdapter(), close: async () => {} };
  },
  sqlite: async () => {
    const [{ createSqliteStateAdapter }, { createBetterSqlite3Provider }] = await Promise.all([
      import("@queuert/sqlite"),
      import("@queuert/sqlite/better-sqlite3"),
      import("better-sqlite3"),
    ]);
    const importedMs = performance.now();
    const stateProvider = await createBetterSqlite3Provider({
      filename: url,
      synchronous: "NORMAL",
    });
    const stateAdapter = await createSqliteStateAdapter({ stateProvider });
    return { importedMs, stateAdapter, close: () => stateProvider.close() };
  },
  postgres: async () => {
    const [{ createPgStateAdapter }, { createPgPoolStateProvider }, { default: pg }] =
      await Promise.all([
        import("@queuert/postgres"),
        import("@queuert/postgres/pg"),
        import("pg"),
      ]);
    const importedMs = performance.now();
    const pool = new pg.Pool({ connectionString: url });
    const stateProvider = createPgPoolStateProvider(pool);
    const stateAdapter = await createPgStateAdapter({ stateProvider });
    await stateAdapter.migrateToLatest();
    return { importedMs, stateAdapter, close: () => pool.end() };
  },
  mongodb: async () => {
    const [{ createMongoStateAdapter }, { createMongodbProvider }, { MongoClient }] =
      await Promise.all([
        import("@queuert/mongodb"),
        import("@queuert/mongodb/mongodb"),
        import("mongodb"),
      ]);
    const importedMs = performance.now();
    const client = new MongoClient(url);
    const stateProvider = createMongodbProvider({ client });
    const stateAdapter = await createMongoStateAdapter({ stateProvider });
    await stateAdapter.migrateToLatest();
    return { importedMs, stateAdapter, close: () => client.close() };
  },
};

const core = await import("queuert");
const { importedMs, stateAdapter, close } = await openStores[store](core);
const queuert = await core.createQueuert({
  stateAdapter,
  jobTypeDefinitions: core.defineUnionJobTypes(),
});
const worker = await queuert
  .createWorker()
  .implementJobType({ typeName: "first", process: async ({ complete }) => complete(null) })
  .start();
const { id } = await queuert.transaction((context) =>
  queuert.startJobSequence({ ...context, typeName: "first", input: {} }),
);
await queuert.waitForJobSequenceCompletion({ typeName: "first", id, timeoutMs: 10_000 });
const firstJobMs = performance.now();
await worker.stop();
await queuert.close();
await close();
console.log(JSON.stringify({ "ms to import": importedMs - nodeMs, "ms to first job": firstJobMs }));
