// CPU time of the server for one job or one call, which other load on the machine changes little. Linux. From the sources:
//   pnpm --filter @queuert/postgres exec tsx --conditions=@queuert/source bench/server-cpu.ts [rounds]
import { readFile } from "node:fs/promises";
import { startPostgres } from "@queuert/test-services/postgres";
import pg from "pg";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import type { AnyStateAdapter, NewEntryJob } from "queuert/internal";

const rounds = Number(process.argv[2] ?? 4);
const batchCount = 50;
const callCount = 1_500;
const figures = new Map<string, number[]>();

const job: NewEntryJob = {
  kind: "entry",
  typeName: "single",
  input: '{"n":1}',
  schedule: null,
  priority: 0,
  awaitsBlockers: false,
  onBlockerFailure: "wait",
  traceContext: null,
  rootSequenceId: null,
  originId: null,
  deduplication: null,
};
const outcome = { kind: "output", output: "null" } as const;

const measureRound = async (url: string, prepared: boolean): Promise<void> => {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  const stateProvider = createPgPoolStateProvider(pool, { preparedStatements: prepared });
  const adapter = await createPgStateAdapter({ stateProvider });
  await adapter.migrateToLatest();
  const state: AnyStateAdapter = adapter;
  const { rows } = await pool.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  const cpuUs = async (): Promise<number> => {
    const text = await readFile(`/proc/${rows[0]?.pid ?? 0}/schedstat`, "utf8");
    return Number(text.split(" ")[0]) / 1_000;
  };
  const measure = async (name: string, jobs: number, run: () => Promise<unknown>) => {
    const before = await cpuUs();
    await run();
    const key = `${name}${prepared ? ", prepared" : ""}`;
    figures.set(key, [...(figures.get(key) ?? []), ((await cpuUs()) - before) / jobs]);
  };
  const repeat = async (times: number, run: () => Promise<unknown>): Promise<void> => {
    for (let time = 0; time < times; time += 1) await run();
  };
  const create = (count: number) =>
    state.createJobs({ jobs: Array.from({ length: count }, () => job) });
  const acquire = async (limit: number) => {
    const types = [{ typeName: "single", leaseMs: 30_000, limit }];
    const acquired = await state.acquireJobs({ workerId: "w", limit, types });
    return acquired.jobs.map(({ job: { id, leaseVersion } }) => ({ jobId: id, leaseVersion }));
  };
  const complete = (leases: Awaited<ReturnType<typeof acquire>>) => {
    const completions = leases.map((lease) => ({ ...lease, outcome }));
    return state.completeJobs({ workerId: "w", completions });
  };
  const drain = async (size: number) => complete(await acquire(size));

  await create(2_000);
  await repeat(10, () => drain(200));
  await measure("start by 1,000", batchCount * 200, () =>
    repeat(batchCount / 5, () => create(1_000)),
  );
  const held: Awaited<ReturnType<typeof acquire>>[] = [];
  await measure("acquire by 200", batchCount * 200, () =>
    repeat(batchCount, async () => held.push(await acquire(200))),
  );
  await measure("complete by 200", batchCount * 200, async () => {
    for (const leases of held.splice(0)) await complete(leases);
  });
  await repeat(100, async () => void (await create(1), await drain(1)));
  await measure("start one", callCount, () => repeat(callCount, () => create(1)));
  await measure("acquire one", callCount, () =>
    repeat(callCount, async () => held.push(await acquire(1))),
  );
  await measure("complete one", callCount, async () => {
    for (const leases of held.splice(0)) await complete(leases);
  });
  await measure("acquire none", callCount, () => repeat(callCount, () => acquire(1)));
  const page = {
    order: "asc",
    limit: 100,
    afterOrdinal: null,
    typeNames: null,
    statuses: null,
  } as const;
  const span = { sequenceId: null, rootSequenceId: null, createdFrom: null, createdTo: null };
  const ids = (await state.listJobs({ ...page, ...span })).map(({ id }) => id);
  await measure("listJobs of 100", 300, () =>
    repeat(300, () => state.listJobs({ ...page, ...span })),
  );
  await measure("getJobs of 100", 300, () => repeat(300, () => state.getJobs({ ids })));
  await pool.end();
};

const server = await startPostgres({
  exclusive: true,
  durability: "default",
  settings: { synchronous_commit: "off" },
});
for (let round = 0; round < rounds; round += 1) {
  for (const prepared of [true, false]) {
    const database = await server.createDatabase();
    await measureRound(database.url, prepared);
  }
}
await server.stop();
process.stdout.write("| case | µs of the server | least |\n|---|---|---|\n");
for (const [name, values] of figures) {
  const sorted = values.toSorted((a, b) => a - b);
  process.stdout.write(
    `| ${name} | ${sorted[values.length >> 1]?.toFixed(1)} | ${sorted[0]?.toFixed(1)} |\n`,
  );
}
