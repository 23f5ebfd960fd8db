// CPU time of the server for one job under a key of a limit, beside one without a key. Other load on the machine changes
// it little. Linux. With `profile` it lists the time of the statements inside the routines. From the sources:
//   pnpm --filter @queuert/postgres exec tsx --conditions=@queuert/source bench/keyed-cpu.ts [jobs] [keys] [profile]
import { readFile } from "node:fs/promises";
import { startPostgres } from "@queuert/test-services/postgres";
import pg from "pg";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import type { AnyStateAdapter, NewEntryJob } from "queuert/internal";

const [jobCount = 20_000, keyCount = 10_000] = process.argv.slice(2, 4).map(Number);
const isProfiled = process.argv[4] === "profile";

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
const pool = new pg.Pool({ connectionString: server.url, max: 1 });
const adapter = await createPgStateAdapter({ stateProvider: createPgPoolStateProvider(pool) });
await adapter.migrateToLatest();
const state: AnyStateAdapter = adapter;
const { rows } = await pool.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
const cpuUs = async (): Promise<number> => {
  const text = await readFile(`/proc/${rows[0]?.pid ?? 0}/schedstat`, "utf8");
  return Number(text.split(" ")[0]) / 1_000;
};
const perKey = { concurrency: 1, rate: null };
await state.setLimits?.({
  limits: [
    { name: "keyed", concurrency: null, rate: null, perKey, agingMs: null, declaration: null },
  ],
});

const drain = async (typeName: string, count: number) => {
  let acquireUs = 0;
  let completeUs = 0;
  let calls = 0;
  for (let done = 0; done < count;) {
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
  return {
    typeName,
    acquireUs: acquireUs / count,
    completeUs: completeUs / count,
    perCall: count / calls,
  };
};

const fill = async (key: (index: number) => string | null) => {
  const before = await cpuUs();
  for (let from = 0; from < jobCount; from += 1_000) {
    await state.createJobs({
      jobs: Array.from({ length: 1_000 }, (_, index) => jobOf(key(from + index))),
    });
  }
  return ((await cpuUs()) - before) / jobCount;
};

if (isProfiled) await pool.query("CREATE EXTENSION pg_stat_statements");
const createPlain = await fill(() => null);
const createKeyed = await fill((index) => `key ${index % keyCount}`);
await pool.query("VACUUM ANALYZE");
const plain = await drain("plain", jobCount);
if (isProfiled) await pool.query("SELECT pg_stat_statements_reset()");
const keyed = await drain("keyed", jobCount);
console.table([
  { ...plain, create: createPlain },
  { ...keyed, create: createKeyed },
]);
if (isProfiled) {
  const { rows: top } = await pool.query<Record<string, unknown>>(
    `SELECT round(total_exec_time) AS ms, calls, rows, toplevel, left(regexp_replace(query, '\\s+', ' ', 'g'), 110) AS query
    FROM pg_stat_statements ORDER BY total_exec_time DESC LIMIT 30`,
  );
  console.table(top);
}
await pool.end();
await server.stop();
