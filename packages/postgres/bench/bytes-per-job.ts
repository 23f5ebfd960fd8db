// Bytes of WAL per job, HOT updates and sizes, by fill factor. After a build:
//   pnpm --filter @queuert/postgres exec tsx bench/bytes-per-job.ts
import { startPostgres } from "@queuert/test-services/postgres";
import pg from "pg";
import { create, drain } from "./adapter-cases.ts";
import { openClient } from "./client.ts";

const jobCount = 20_000;

const measure = async (pool: pg.Pool, fillFactor: number): Promise<string> => {
  const client = await openClient({ pool });
  await pool.query(`ALTER TABLE queuert.job SET (fillfactor = ${fillFactor})`);
  const position = async (): Promise<number> => {
    const { rows } = await pool.query<{ bytes: string }>(
      "SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes",
    );
    return Number(rows[0]?.bytes);
  };
  await pool.query("CHECKPOINT");
  const before = await position();
  await create(client, jobCount);
  const created = await position();
  await drain(client, jobCount);
  const drained = await position();
  await pool.query("SELECT pg_stat_force_next_flush()");
  const { rows } = await pool.query<{ hot: number; mb: number }>(
    `SELECT round(100.0 * n_tup_hot_upd / n_tup_upd)::int AS hot, pg_relation_size(relid) / 1e6 AS mb
    FROM pg_stat_user_tables WHERE relname = 'job'`,
  );
  const perJob = (bytes: number): string => (bytes / jobCount).toFixed(0);
  const { hot = 0, mb = 0 } = rows[0] ?? {};
  return `| ${fillFactor} | ${perJob(created - before)} | ${perJob(drained - created)} | ${hot} % | ${Number(mb).toFixed(1)} |`;
};

const server = await startPostgres({ exclusive: true, durability: "default" });
try {
  process.stdout.write(
    "| fill factor | created | acquired and completed | HOT | table, MB |\n|---|---|---|---|---|\n",
  );
  for (const fillFactor of [100, 70, 50, 45, 40]) {
    const database = await server.createDatabase();
    const pool = new pg.Pool({ connectionString: database.url, max: 2 });
    process.stdout.write(`${await measure(pool, fillFactor)}\n`);
    await pool.end();
  }
} finally {
  await server.stop();
}
