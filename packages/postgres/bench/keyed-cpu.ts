// CPU time for one job under a key of a limit, beside one without a key. It is that of the server, by acquisitions and completions,
// and that of this process. Other load on the machine changes it little. Linux. With `rate` each key has a rate instead of one permit.
// With `profile` it lists the time of the statements inside the routines. From the sources:
//   pnpm --filter @queuert/postgres exec tsx --conditions=@queuert/source bench/keyed-cpu.ts [jobs] [keys] [rate] [profile]
import { readFile } from "node:fs/promises";
import { startPostgres } from "@queuert/test-services/postgres";
import pg from "pg";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import type { AnyStateAdapter, NewEntryJob } from "queuert/internal";

const [jobCount = 20_000, keyCount = 10_000] = process.argv.slice(2).map(Number).filter(Boolean);
const isProfiled = process.argv.includes("profile");
const hasRate = process.argv.includes("rate");

const jobOf = (key: string | null): NewEntryJob => ({
  kind: "entry",
  typeName: key === null ? "plain" : "keyed",
  input: '{"n":1}',
  schedule: null,
  priority: 0,
  awaitsBlockers: false,
  onBlockerFailure: "wait",
  traceContext: null,
  rootSequenceId: null,
  originId: null,
  deduplication: null,
  ...(key !== null && { limitKey: { limitName: "keyed", key, cost: 1 } }),
});
const outcome = { kind: "output", output: "null" } as const;

const server = await startPostgres({
  settings: isProfiled
    ? { shared_preload_libraries: "pg_stat_statements", "pg_stat_statements.track": "all" }
    : {},
});

/** An adapter with one connection, and the CPU time of its backend. */
const connect = async () => {
  const pool = new pg.Pool({ connectionString: server.url, max: 1, idleTimeoutMillis: 0 });
  const adapter = await createPgStateAdapter({ stateProvider: createPgPoolStateProvider(pool) });
  const state: AnyStateAdapter = adapter;
  const { rows } = await pool.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const cpuUs = async (): Promise<number> => {
    const text = await readFile(`/proc/${rows[0]?.pid ?? 0}/schedstat`, "utf8");
    return Number(text.split(" ")[0]) / 1_000;
  };
  return { pool, adapter, state, cpuUs };
};
type Connection = Awaited<ReturnType<typeof connect>>;

const connections: Connection[] = [];
for (let index = 0; index < 8; index += 1) connections.push(await connect());
const [first] = connections as [Connection];
await first.adapter.migrateToLatest();
const perKey = hasRate
  ? { concurrency: null, rate: { count: 1_000_000, perMs: 1_000, burst: 50_000 } }
  : { concurrency: 1, rate: null };
await first.state.setLimits?.({
  limits: [
    { name: "keyed", concurrency: null, rate: null, perKey, agingMs: null, declaration: null },
  ],
});

/** Several loops share the jobs. In µs for a job; `perCall` is how many jobs an acquisition has found. */
const drain = async (typeName: string, count: number, loops: readonly Connection[]) => {
  let acquireUs = 0;
  let completeUs = 0;
  let calls = 0;
  let done = 0;
  const usage = process.cpuUsage();
  await Promise.all(
    loops.map(async ({ state, cpuUs }) => {
      while (done < count) {
        const begunAt = await cpuUs();
        const types = [{ typeName, leaseMs: 30_000, limit: 1_000_000 }];
        const { jobs } = await state.acquireJobs({ workerId: "w", limit: 100, slots: 100, types });
        const acquiredAt = await cpuUs();
        const completions = jobs.map(({ job: { id, leaseVersion } }) => ({
          jobId: id,
          leaseVersion,
          outcome,
        }));
        if (completions.length > 0) await state.completeJobs({ workerId: "w", completions });
        acquireUs += acquiredAt - begunAt;
        completeUs += (await cpuUs()) - acquiredAt;
        done += jobs.length;
        calls += 1;
      }
    }),
  );
  const { user, system } = process.cpuUsage(usage);
  return {
    connections: loops.length,
    typeName,
    acquireUs: acquireUs / count,
    completeUs: completeUs / count,
    serverUs: (acquireUs + completeUs) / count,
    clientUs: (user + system) / count,
    perCall: count / calls,
  };
};

const fill = async (key: (index: number) => string | null) => {
  const before = await first.cpuUs();
  for (let from = 0; from < jobCount; from += 1_000) {
    await first.state.createJobs({
      jobs: Array.from({ length: 1_000 }, (_, index) => jobOf(key(from + index))),
    });
  }
  return ((await first.cpuUs()) - before) / jobCount;
};

if (isProfiled) await first.pool.query("CREATE EXTENSION pg_stat_statements");
const rows: object[] = [];
for (const count of isProfiled ? [1, 4] : [1, 4, 8]) {
  const createPlain = await fill(() => null);
  const createKeyed = await fill((index) => `key ${index % keyCount}`);
  await first.pool.query("VACUUM ANALYZE");
  const loops = connections.slice(0, count);
  rows.push({ ...(await drain("plain", jobCount, loops)), createUs: createPlain });
  if (isProfiled) await first.pool.query("SELECT pg_stat_statements_reset()");
  rows.push({ ...(await drain("keyed", jobCount, loops)), createUs: createKeyed });
}
const rounded = rows.map((row) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "number" ? Math.round(value * 10) / 10 : value,
    ]),
  ),
);
console.table(rounded);
if (isProfiled) {
  const { rows: top } = await first.pool.query<Record<string, unknown>>(
    `SELECT round(total_exec_time) AS ms, calls, rows, toplevel, left(regexp_replace(query, '\\s+', ' ', 'g'), 110) AS query
    FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 30`,
  );
  console.table(top);
}
for (const { pool } of connections) await pool.end();
await server.stop();
