// The gain of the table's autovacuum settings: a store with 300,000 finished jobs under load. Our settings and the server's
// defaults run in turns. The server checks every five seconds, so that a short run shows the effect of a long one. After a build:
//   pnpm --filter @queuert/postgres exec tsx bench/autovacuum.ts
import { startPostgres } from "@queuert/test-services/postgres";
import pg from "pg";
import { create, drain } from "./adapter-cases.ts";
import { type BenchClient, openClient } from "./client.ts";

const finishedCount = 300_000;
const roundCount = 12;
const jobsPerRound = 20_000;

interface Variant {
  readonly name: string;
  readonly pool: pg.Pool;
  readonly client: BenchClient;
  readonly rates: number[];
}

const fill = `
  INSERT INTO queuert.job (id, type_name, sequence_id, sequence_type_name, sequence_created_at,
    root_sequence_id, position, status, sequence_outcome, input, priority, on_blocker_failure,
    created_at, scheduled_at, finished_at)
  SELECT g.id, 'done', g.id, 'done', now(), g.id, 0, 'completed', 'completed', '{"n":1}', 0, 'wait', now(), now(), now()
  FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, ${finishedCount})) g`;

const serverDefaults = ["job", "ready", "lease"]
  .map(
    (table) => `ALTER TABLE queuert.${table} RESET (autovacuum_vacuum_scale_factor,
      autovacuum_vacuum_threshold, autovacuum_vacuum_insert_scale_factor,
      autovacuum_analyze_scale_factor, autovacuum_vacuum_cost_delay)`,
  )
  .join(";");

const open = async (name: string, url: string, sql: string): Promise<Variant> => {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const client = await openClient({ pool });
  await pool.query(sql);
  await pool.query(fill);
  await pool.query("VACUUM ANALYZE queuert.job");
  return { name, pool, client, rates: [] };
};

const row = async ({ name, pool, rates }: Variant): Promise<string> => {
  await pool.query("SELECT pg_stat_force_next_flush()");
  const { rows } = await pool.query<Record<"vacuums" | "dead" | "mb" | "ready", number>>(
    `SELECT autovacuum_count::int AS vacuums, n_dead_tup::int AS dead, pg_relation_size(relid) / 1e6 AS mb,
      pg_relation_size('queuert.ready_order') / 1e6 AS ready
    FROM pg_stat_user_tables WHERE relname = 'ready'`,
  );
  const [found] = rows;
  if (found === undefined) throw new Error("The table is there.");
  const median = rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0;
  const worst = Math.min(...rates);
  const numbers = [median.toFixed(0), worst.toFixed(0), found.vacuums, found.dead];
  return `| ${[name, ...numbers, Number(found.mb).toFixed(0), Number(found.ready).toFixed(1)].join(" | ")} |`;
};

const server = await startPostgres({
  exclusive: true,
  durability: "default",
  settings: { autovacuum_naptime: "5s" },
});
const variants: Variant[] = [];
try {
  for (const [name, sql] of [
    ["ours", "SELECT"],
    ["the server's", serverDefaults],
  ] as const) {
    variants.push(await open(name, (await server.createDatabase()).url, sql));
  }
  for (let round = 0; round < roundCount; round += 1) {
    for (const { client, rates } of variants) {
      await create(client, jobsPerRound);
      const startedAt = performance.now();
      await drain(client, jobsPerRound);
      rates.push((jobsPerRound / (performance.now() - startedAt)) * 1_000);
    }
  }
  process.stdout.write(
    "| settings | jobs/s | worst round | vacuums | dead rows left | ready, MB | ready_order, MB |\n|---|---|---|---|---|---|---|\n",
  );
  for (const variant of variants) process.stdout.write(`${await row(variant)}\n`);
} finally {
  for (const { pool } of variants) await pool.end();
  await server.stop();
}
