import type { ClientBase, Pool } from "pg";
import { inOrder } from "./in-order.ts";
import { type Payload, payloadOf, type Workload } from "../participant.ts";
import { inUserTransaction } from "../postgres-server.ts";

const into = `INSERT INTO floor_job (id, type_name, sequence_id, sequence_type_name, sequence_created_at,
    root_sequence_id, position, status, incomplete_blockers, input, priority, on_blocker_failure, created_at,
    scheduled_at)
  SELECT u.id, u.type_name, u.id, u.type_name, clock_timestamp(), u.id, 0, u.status, u.blockers, u.input, 0, 'wait',
    clock_timestamp(), clock_timestamp()`;

const insertSql = `${into}
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::int[]) AS u (id, type_name, status, input, blockers)`;

/** The channel on which the floor tells that there is a job. */
export const floorChannel = "floor_job";

export const insertOneQuery = {
  name: "floor_insert_one",
  text: `${into}
    FROM (SELECT $1::uuid AS id, 'single' AS type_name, 'pending' AS status, $2::text AS input, 0 AS blockers) AS u`,
};

/** BEGIN, INSERT, COMMIT; then NOTIFY outside of it, if there is a listener. */
export const insertOne = async (pool: Pool, id: string, payload: Payload): Promise<void> => {
  const client = await pool.connect();
  try {
    await inOrder(pool, [
      () => client.query("BEGIN"),
      () => client.query({ ...insertOneQuery, values: [id, JSON.stringify(payload)] }),
      () => client.query("COMMIT"),
    ]);
    // Only timed starts have a waiter.
    if (payload.at > 0) await client.query(`NOTIFY ${floorChannel}`);
  } finally {
    client.release();
  }
};

/** A bare INSERT, which commits by itself. */
export const insertAlone = async (pool: Pool, id: string, payload: Payload): Promise<void> => {
  await pool.query({ ...insertOneQuery, values: [id, JSON.stringify(payload)] });
  if (payload.at > 0) await pool.query(`NOTIFY ${floorChannel}`);
};

/** In the user's transaction: BEGIN, the user's row, the job, COMMIT. */
export const insertInTransaction = async (
  pool: Pool,
  id: string,
  payload: Payload,
): Promise<void> => {
  await inUserTransaction(pool, (client) =>
    client.query({ ...insertOneQuery, values: [id, JSON.stringify(payload)] }),
  );
};

const insertBatch = async (
  client: ClientBase,
  ids: readonly string[],
  [typeName, status, blockers]: readonly [string, string, number],
): Promise<void> => {
  const input = JSON.stringify(payloadOf(0));
  await client.query({
    name: "floor_insert",
    text: insertSql,
    values: [
      ids,
      ids.map(() => typeName),
      ids.map(() => status),
      ids.map(() => input),
      ids.map(() => blockers),
    ],
  });
};

const idsOf = (nextId: () => string, count: number): string[] =>
  Array.from({ length: count }, nextId);

export const insertMany = async (
  pool: Pool,
  nextId: () => string,
  workload: Workload,
  unitCount: number,
): Promise<void> => {
  const client = await pool.connect();
  try {
    await client.query("BEGIN");
    const ids = idsOf(nextId, unitCount);
    if (workload === "chain") await insertBatch(client, ids, ["step-1", "pending", 0]);
    else if (workload !== "fan-in") await insertBatch(client, ids, ["single", "pending", 0]);
    else {
      const parts = idsOf(nextId, unitCount * 10);
      await insertBatch(client, parts, ["part", "pending", 0]);
      await insertBatch(client, ids, ["whole", "blocked", 10]);
      await client.query(
        `INSERT INTO floor_blocker (blocker_id, job_id) SELECT * FROM unnest($1::uuid[], $2::uuid[])`,
        [parts, parts.map((_, index) => ids[Math.floor(index / 10)])],
      );
    }
    await client.query("COMMIT");
  } finally {
    client.release();
  }
};
