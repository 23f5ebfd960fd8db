// How fast jobs are completed in the transactions of each client and ORM, of the rate of `pg`. Run it with
//   pnpm --filter @queuert/postgres bench:clients [rounds]
// Sources run through tsx, which names every function: read the ratios, not the rates. With Bun, `Bun.SQL` is one of the clients.
import { startPostgres } from "@queuert/test-services/postgres";
import pg from "pg";
import postgres from "postgres";
import { createQueuert, defineUnionJobTypes } from "queuert";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { createPostgresJsStateProvider } from "../src/providers/postgres-js.ts";
import { openDrizzlePostgresJs } from "../test/orms/clients/drizzle.ts";
import { orms } from "../test/orms/clients/index.ts";
import { createDoneSql, type OpenOrm } from "../test/orms/orm-client.ts";

const jobCount = 1_000;
const connectionsMax = 20;
const rounds = Number(process.argv[2] ?? 3);

const openPg: OpenOrm = async (url, { connectionsMax: max }) => {
  const pool = new pg.Pool({ connectionString: url, max });
  return {
    stateProvider: createPgPoolStateProvider(pool),
    transaction: () => Promise.reject(new Error("not used")),
    insert: (context, key) =>
      (context as { client: pg.PoolClient }).client.query("INSERT INTO done VALUES ($1)", [key]),
    close: () => pool.end(),
  };
};

const openPostgresJs: OpenOrm = async (url, { connectionsMax: max }) => {
  const sql = postgres(url, { max, fetch_types: false, onnotice: () => undefined });
  return {
    stateProvider: createPostgresJsStateProvider(sql),
    transaction: () => Promise.reject(new Error("not used")),
    insert: (context, key) =>
      (context as { sql: postgres.TransactionSql }).sql.unsafe("INSERT INTO done VALUES ($1)", [
        key,
      ]),
    close: () => sql.end({ timeout: 5 }),
  };
};

const clients: readonly (readonly [name: string, open: OpenOrm])[] = [
  ["`pg`", openPg],
  ["postgres.js", openPostgresJs],
  ...orms,
  ["Drizzle over postgres.js", openDrizzlePostgresJs],
];

/** Jobs per second, completed by callback, each with a row of the client. */
const drain = async (url: string, open: OpenOrm): Promise<number> => {
  const client = await open(url, { connectionsMax });
  await client.stateProvider.executeSql({ sql: createDoneSql, params: [] }, undefined);
  const stateAdapter = await createPgStateAdapter({ stateProvider: client.stateProvider });
  await stateAdapter.migrateToLatest();
  const jobTypeDefinitions = defineUnionJobTypes<{ task: { input: number; output: null } }>();
  const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions, log: () => undefined });
  const run = async (count: number): Promise<number> => {
    const inputs = Array.from({ length: count }, (_, input) => input);
    const sequences = inputs.map((input) => ({ typeName: "task" as const, input }));
    await queuert.startJobSequences({ autocommit: true, sequences });
    let left = count;
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const begunAt = performance.now();
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "task",
        process: async ({ job, complete, afterCommit }) => {
          afterCommit(() => {
            if (--left === 0) finish();
          });
          return complete(async (context) => {
            await client.insert(context, String(job.input));
            return null;
          });
        },
      })
      .start({ concurrency: connectionsMax - 1 });
    await finished;
    const seconds = (performance.now() - begunAt) / 1_000;
    await worker.stop();
    return count / seconds;
  };
  await run(jobCount / 2);
  const rate = await run(jobCount);
  await queuert.close();
  await client.close();
  return rate;
};

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? NaN;

const server = await startPostgres({ exclusive: true });
const ratios = new Map<string, number[]>();
for (let round = 0; round < rounds; round += 1) {
  let base = NaN;
  for (const [name, open] of clients) {
    const database = await server.createDatabase();
    const rate = await drain(database.url, open);
    process.stderr.write(`${name} ${rate.toFixed(0)} jobs/s\n`);
    if (name === "`pg`") base = rate;
    ratios.set(name, [...(ratios.get(name) ?? []), rate / base]);
    await database.drop();
  }
}
await server.close();
process.stdout.write("| client | of the rate of `pg` | lowest to highest |\n|---|---:|---|\n");
for (const [name, values] of ratios) {
  const range = `${Math.min(...values).toFixed(2)} to ${Math.max(...values).toFixed(2)}`;
  process.stdout.write(`| ${name} | ${median(values).toFixed(2)} | ${range} |\n`);
}
