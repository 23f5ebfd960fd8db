// Workers that die, renew, reschedule and roll back on layout E, beside a checker of its invariants. Exits with 1 if one is
// violated, or a job is left behind:
//   pnpm --filter @queuert/postgres exec tsx bench/storage/torture.ts 30
import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { startPostgres } from "@queuert/test-services/postgres";
import pg from "pg";

const seconds = Number(process.argv[2] ?? 20);
const server = await startPostgres({ exclusive: true, durability: "default" });
const { url } = await server.createDatabase();
const options = "-c search_path=q -c deadlock_timeout=200ms";
const pool = new pg.Pool({ connectionString: url, max: 30, options });
await pool.query(await readFile(new URL("layout-e.sql", import.meta.url), "utf8"));

interface Held {
  readonly id: string;
  readonly lease_version: number;
  readonly lease_until: Date;
  readonly lease_id: string;
}

const until = Date.now() + seconds * 1_000;
const startedMax = 60_000;
const typeNames = ["a", "b"] as const;
const completed = new Set<string>();
const acquired = new Set<string>();
const recentIds: string[] = [];
const counts = new Map<string, number>();
let started = 0;

const random = (below: number): number => Math.floor(Math.random() * below);
const count = (name: string, by = 1): void => {
  counts.set(name, (counts.get(name) ?? 0) + by);
};
const violation = (name: string, by = 1): void => count(`VIOLATION ${name}`, by);

const query = async <TRow extends object>(sql: string, values: unknown[] = []): Promise<TRow[]> => {
  try {
    return (await pool.query<TRow>(sql, values)).rows;
  } catch (error) {
    violation(`error: ${String(error)}`);
    return [];
  }
};

const repeat = async (step: () => Promise<unknown>): Promise<void> => {
  while (Date.now() < until) await step();
};

/** Runs in a transaction that commits if the callback returns true. */
const inTransaction = async (run: (client: pg.ClientBase) => Promise<boolean>): Promise<void> => {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    await client.query((await run(client)) ? "COMMIT" : "ROLLBACK");
  } catch (error) {
    violation(`error: ${String(error)}`);
    await client.query("ROLLBACK");
  } finally {
    client.release();
  }
};

const leasesOf = (held: readonly Held[]): [string[], number[]] => [
  held.map(({ id }) => id),
  held.map(({ lease_version }) => lease_version),
];

const noteCompleted = (ids: readonly string[]): void => {
  for (const id of ids) {
    if (completed.has(id)) violation("a job was completed twice");
    completed.add(id);
  }
};

const acquire = async (worker: string, typeName: string, limit: number, leaseMs: number) => {
  const sql = "SELECT * FROM acquire_jobs($1, $2, $3, $4, '{}', '{}')";
  const held = await query<Held>(sql, [worker, typeName, limit, leaseMs]);
  for (const { id, lease_version } of held) {
    const lease = `${id} ${lease_version}`;
    if (acquired.has(lease)) violation("a lease version was given out twice");
    acquired.add(lease);
  }
  return held;
};

const complete = async (held: readonly Held[]): Promise<void> => {
  const sql = "SELECT complete_jobs($1, $2) AS id";
  const rows = await query<{ id: string }>(sql, leasesOf(held));
  noteCompleted(rows.map(({ id }) => id));
};

const reschedule = (held: readonly Held[], afterMs: number | null, uncounted: number) =>
  query("SELECT * FROM reschedule_jobs($1, $2, $3, $4)", [...leasesOf(held), afterMs, uncounted]);

/** A job that waits for some of the new ones. */
const addWaiting = async (client: pg.ClientBase, blockerIds: readonly string[]): Promise<void> => {
  const id = randomUUID();
  await client.query("SELECT create_jobs($1, '{a}', '{true}', '{null}')", [[id]]);
  await client.query(
    `INSERT INTO job_blocker
    SELECT $1, b.id, b.n FROM unnest($2::uuid[]) WITH ORDINALITY AS b (id, n)`,
    [id, blockerIds],
  );
  const addSql = "UPDATE job SET dependants = dependants + 1 WHERE id = ANY($1)";
  await client.query(addSql, [blockerIds]);
  const countSql = "UPDATE job SET incomplete_blockers = $2 WHERE id = $1";
  await client.query(countSql, [id, blockerIds.length]);
};

const start = async (): Promise<void> => {
  if (started > startedMax) return void (await sleep(50));
  const ids = Array.from({ length: 1 + random(40) }, () => randomUUID());
  const later = (): Date | null => (random(5) > 0 ? null : new Date(Date.now() + 500));
  await inTransaction(async (client) => {
    await client.query("SELECT create_jobs($1, $2, $3, $4)", [
      ids,
      ids.map(() => typeNames[random(2)]),
      ids.map(() => false),
      ids.map(later),
    ]);
    await sleep(random(10));
    if (random(6) === 0) return false;
    const waiting = random(2);
    if (waiting === 1) await addWaiting(client, ids.slice(0, 3));
    started += ids.length + waiting;
    return true;
  });
  recentIds.push(...ids);
  if (recentIds.length > 500) recentIds.splice(0, recentIds.length - 500);
  await sleep(3);
};

const completeInTransaction = async (held: Held): Promise<void> => {
  let ids: string[] = [];
  let isCommitted = false;
  await inTransaction(async (client) => {
    const sql = "SELECT complete_jobs($1, $2) AS id";
    const { rows } = await client.query<{ id: string }>(sql, leasesOf([held]));
    ids = rows.map(({ id }) => id);
    await sleep(random(30));
    isCommitted = random(2) === 1;
    return isCommitted;
  });
  if (isCommitted) return noteCompleted(ids);
  count("rolled back");
  await reschedule([held], 5, 0);
};

const settle = async (held: readonly Held[]): Promise<void> => {
  const groups: Held[][] = [[], [], [], []];
  for (const one of held) groups[random(10) < 8 ? 0 : 1 + random(3)]?.push(one);
  const [usual = [], again = [], unsure = [], alone = []] = groups;
  await complete(usual);
  await reschedule(again, random(2) === 0 ? 20 : null, random(2));
  if (random(3) === 0) {
    const failed = await query("SELECT * FROM fail_jobs($1, $2)", leasesOf(unsure));
    count("failed", failed.length);
  } else await complete(unsure);
  for (const one of alone) await completeInTransaction(one);
};

const work = async (worker: string): Promise<void> => {
  const typeName = typeNames[random(2)] ?? "a";
  const held = await acquire(worker, typeName, 1 + random(60), 150 + random(300));
  const [first] = held;
  if (first === undefined) return void (await sleep(5));
  const fate = random(20);
  if (fate === 0) return count("died", held.length);
  if (fate === 1) await sleep(500);
  if (fate === 2) {
    const sql = "SELECT * FROM renew_leases($1, $2, $3, 600)";
    count("renewed", (await query(sql, [worker, ...leasesOf(held)])).length);
    await sleep(300);
  }
  await settle(held);
  await query(
    "SELECT FROM acquire_jobs($1, 'none', 1, 100, ARRAY[$2::timestamptz], ARRAY[$3::bigint])",
    [worker, first.lease_until, first.lease_id],
  );
};

const reclaim = async (): Promise<void> => {
  count("reclaimed", (await query("SELECT * FROM reclaim_expired_leases(50)")).length);
  await sleep(30);
};

/** Calls of other clients for jobs of workers. */
const interfere = async (): Promise<void> => {
  const ids = Array.from({ length: 1 + random(5) }, () => recentIds[random(recentIds.length)]);
  if (random(3) > 0) {
    count("triggered", (await query("SELECT * FROM trigger_jobs($1)", [ids])).length);
  } else {
    const rows = await query<{ id: string }>(
      `SELECT complete_externally(ARRAY(
        SELECT j.id FROM job j WHERE j.id = ANY($1) AND j.dependants = 0)) AS id`,
      [ids],
    );
    noteCompleted(rows.map(({ id }) => id));
    count("completed externally", rows.length);
  }
  await sleep(10);
};

const checkSql = `SELECT
  (SELECT count(*)::int FROM stray_job) AS "open jobs without exactly one of ready row and lease",
  (SELECT count(*)::int FROM ready r LEFT JOIN job j ON j.id = r.job_id
    WHERE j.status IS DISTINCT FROM 'open' OR r.scheduled_at <> j.scheduled_at) AS "stray ready rows"`;

const check = async (): Promise<void> => {
  const [row] = await query<Record<string, number>>(checkSql);
  count("checks");
  for (const [name, found] of Object.entries(row ?? {})) if (found > 0) violation(name, found);
  await sleep(200);
};

/** Until no job is ready, and no lease of the workers is left. */
const finish = async (): Promise<void> => {
  await sleep(800);
  for (let round = 0; round < 400; round += 1) {
    await reclaim();
    let found = 0;
    for (const typeName of typeNames) {
      const held = await acquire("end", typeName, 500, 30_000);
      found += held.length;
      await complete(held);
    }
    const sql = "SELECT FROM lease WHERE worker <> 'end'";
    if (found === 0 && round > 3 && (await query(sql)).length === 0) return;
  }
  violation("the store does not come to rest");
};

const strandedSql = `SELECT FROM job j WHERE j.status = 'open' OR j.status = 'blocked' AND NOT EXISTS (
  SELECT FROM job_blocker b JOIN job f ON f.id = b.blocker_sequence_id
  WHERE b.job_id = j.id AND f.status = 'failed')`;

const workers = ["w1", "w2", "w3", "w4"].map((worker) => repeat(() => work(worker)));
await Promise.all([...workers, ...[start, reclaim, interfere, check].map(repeat)]);
await finish();
await check();
violation("jobs are left behind", (await query(strandedSql)).length);
const totals = { started, acquisitions: acquired.size, completed: completed.size };
console.log({ ...totals, ...Object.fromEntries([...counts].filter(([, by]) => by > 0)) });
await pool.end();
await server.stop();
const isViolated = [...counts].some(([name, by]) => name.startsWith("VIOLATION") && by > 0);
process.exitCode = isViolated ? 1 : 0;
