import pg from "pg";
import type { ClientBase, Pool } from "pg";
import type { Payload, WorkOptions, Workload } from "../participant.ts";
import { inOrder } from "./in-order.ts";
import { createLoops } from "./loops.ts";
import { userRowQuery } from "../postgres-server.ts";
import { floorChannel } from "./postgres-start.ts";

interface Row {
  readonly id: string;
  readonly type_name: string;
  readonly input: string;
}

const acquireSql = `
  WITH due AS MATERIALIZED (
    SELECT id FROM floor_job
    WHERE status = 'pending' AND type_name = $1 AND scheduled_at <= clock_timestamp()
    ORDER BY priority DESC, scheduled_at, ordinal LIMIT $2 FOR UPDATE SKIP LOCKED
  )
  UPDATE floor_job j SET status = 'running', attempt = attempt + 1, lease_version = lease_version + 1,
    leased_by = 'floor', last_attempt_at = clock_timestamp(), leased_until = clock_timestamp() + interval '30 s'
  FROM due WHERE j.id = due.id
  RETURNING j.id, j.type_name, j.input, j.attempt, j.lease_version`;

const completeSql = `
  UPDATE floor_job SET status = 'completed', output = 'null', finished_at = clock_timestamp(),
    completed_by = 'floor', leased_by = NULL, leased_until = NULL
  WHERE id = ANY($1::uuid[]) AND status = 'running'`;

// The jobs that follow, in the statement that completes. The ids are compared with a list, as by `completeSql`. A plan that joins
// them, made while no job runs, reads the whole table for each statement. A run does not end then.
const continueSql = `
  WITH completed AS (
    UPDATE floor_job SET status = 'completed', finished_at = clock_timestamp(), completed_by = 'floor',
      leased_by = NULL, leased_until = NULL,
      continued_to_id = ($2::uuid[])[array_position($1::uuid[], floor_job.id)]
    WHERE id = ANY($1::uuid[]) AND status = 'running'
    RETURNING floor_job.*
  )
  INSERT INTO floor_job (id, type_name, sequence_id, sequence_type_name, sequence_created_at, root_sequence_id, position,
    status, input, priority, on_blocker_failure, created_at, scheduled_at)
  SELECT continued_to_id, $3, sequence_id, sequence_type_name, sequence_created_at, root_sequence_id, position + 1,
    'pending', input, priority, 'wait', clock_timestamp(), clock_timestamp()
  FROM completed`;

// Waiting jobs are released by the transaction that counts them down to zero.
const releaseSql = `
  UPDATE floor_job SET incomplete_blockers = incomplete_blockers - ended.count,
    status = CASE WHEN incomplete_blockers = ended.count THEN 'pending' ELSE status END
  FROM (SELECT job_id, count(*)::int AS count FROM floor_blocker WHERE blocker_id = ANY($1::uuid[])
    GROUP BY job_id ORDER BY job_id) AS ended
  WHERE floor_job.id = ended.job_id`;

export const acquire = async (
  client: ClientBase | Pool,
  typeName: string,
  limit: number,
): Promise<readonly Row[]> => {
  const { rows } = await client.query<Row>({
    name: "floor_acquire",
    text: acquireSql,
    values: [typeName, limit],
  });
  return rows;
};

export const complete = (client: ClientBase | Pool, ids: readonly string[]): Promise<unknown> =>
  client.query({ name: "floor_complete", text: completeSql, values: [ids] });

const run = async ({ input }: Row, onRun: (at: number) => void): Promise<void> => {
  const { at } = JSON.parse(input) as Payload; // The columns that `insertOne` and `insertMany` have written.
  onRun(at);
};

const settle = async (pool: Pool, rows: readonly Row[], nextId: () => string): Promise<void> => {
  const ids = rows.map(({ id }) => id);
  const typeName = rows[0]?.type_name ?? "";
  const step = /^step-([1-4])$/.exec(typeName)?.[1];
  if (step !== undefined) {
    const values = [ids, ids.map(nextId), `step-${Number(step) + 1}`];
    await pool.query({ name: "floor_continue", text: continueSql, values });
  } else if (typeName === "part") {
    const client = await pool.connect();
    try {
      await client.query("BEGIN");
      await complete(client, ids);
      await client.query({ name: "floor_release", text: releaseSql, values: [ids] });
      await client.query("COMMIT");
    } finally {
      client.release();
    }
  } else await complete(pool, ids);
};

const typesOf: Partial<Record<Workload, readonly string[]>> = {
  value: ["single"],
  callback: ["single"],
  // The last step first: chains are finished before new ones are begun.
  chain: ["step-5", "step-4", "step-3", "step-2", "step-1"],
  "fan-in": ["whole", "part"],
};

/** Acquires as many as run at a time in one statement and completes them in one, in two loops that take turns. */
export const workInBatches = async (
  pool: Pool,
  url: string,
  nextId: () => string,
  { workload, concurrency, onRun }: WorkOptions,
): Promise<() => Promise<void>> => {
  const listener = new pg.Client({ connectionString: url });
  await listener.connect();
  await listener.query(`LISTEN ${floorChannel}`);
  // Fan-in has one loop: two would need their updates of the waiting jobs in one order.
  const loopCount = concurrency === 1 || workload === "fan-in" ? 1 : 2;
  const loops = createLoops(loopCount, async () => {
    let count = 0;
    for (const typeName of typesOf[workload] ?? []) {
      const rows = await acquire(pool, typeName, concurrency);
      if (rows.length === 0) continue;
      await Promise.all(rows.map((row) => run(row, onRun)));
      await settle(pool, rows, nextId);
      count += rows.length;
    }
    return count;
  });
  listener.on("notification", loops.wake);
  return async () => {
    await loops.stop();
    await listener.end();
  };
};

/** Acquires as many as run at a time, then BEGIN, write a row, complete, COMMIT for each; one such loop. */
export const workPerBatch = async (
  pool: Pool,
  { concurrency, onRun }: WorkOptions,
): Promise<() => Promise<void>> => {
  const settleOne = async (row: Row): Promise<void> => {
    const client = await pool.connect();
    try {
      await run(row, onRun);
      await client.query("BEGIN");
      await client.query(userRowQuery);
      await complete(client, [row.id]);
      await client.query("COMMIT");
    } finally {
      client.release();
    }
  };
  // The next batch is acquired while the last one is settled.
  const loops = createLoops(2, async () => {
    const rows = await acquire(pool, "single", concurrency);
    await Promise.all(rows.map(settleOne));
    return rows.length;
  });
  return loops.stop;
};

/** BEGIN, acquire one, write a row, complete it, COMMIT; as many at a time as there are connections for. */
export const workPerTransaction = async (
  pool: Pool,
  { concurrency, onRun }: WorkOptions,
): Promise<() => Promise<void>> => {
  const loops = createLoops(Math.min(concurrency, pool.options.max), async () => {
    const client = await pool.connect();
    try {
      let row: Row | undefined;
      await inOrder(pool, [
        () => client.query("BEGIN"),
        async () => ([row] = await acquire(client, "single", 1)),
      ]);
      const commit = (): Promise<unknown> => client.query("COMMIT");
      if (row === undefined) {
        await commit();
        return 0;
      }
      const { id } = row;
      await run(row, onRun);
      await inOrder(pool, [() => client.query(userRowQuery), () => complete(client, [id]), commit]);
      return 1;
    } finally {
      client.release();
    }
  });
  return loops.stop;
};
