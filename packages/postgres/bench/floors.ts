// Hand-written SQL on the same server with rows of the same columns: the speed of the database without a library. Two
// indexes, prepared statements, no result that is not needed.
import type { Pool } from "pg";

const columns = `
  id uuid PRIMARY KEY, type_name text NOT NULL, sequence_id uuid NOT NULL,
  sequence_type_name text NOT NULL, sequence_created_at timestamptz NOT NULL,
  root_sequence_id uuid NOT NULL, origin_id uuid, position integer NOT NULL,
  ordinal bigint GENERATED ALWAYS AS IDENTITY, status text NOT NULL, input text NOT NULL, output text,
  continued_to_id uuid, priority integer NOT NULL, on_blocker_failure text NOT NULL,
  deduplication_key text, created_at timestamptz NOT NULL, scheduled_at timestamptz NOT NULL,
  attempt integer NOT NULL DEFAULT 0, last_attempt_at timestamptz, last_attempt_error text,
  lease_version integer NOT NULL DEFAULT 0, leased_by text, leased_until timestamptz,
  finished_at timestamptz, completed_by text, trace_context text`;

export const createFloorTable = async (pool: Pool): Promise<void> => {
  await pool.query(`
    DROP TABLE IF EXISTS floor_job, floor_row;
    CREATE TABLE floor_job (${columns});
    CREATE INDEX ON floor_job (type_name, priority DESC, scheduled_at, ordinal)
      WHERE status = 'pending';
    CREATE TABLE floor_row (job_id uuid PRIMARY KEY, note text)`);
};

const insertSql = `
  INSERT INTO floor_job (id, type_name, sequence_id, sequence_type_name, sequence_created_at,
    root_sequence_id, position, status, input, priority, on_blocker_failure, created_at, scheduled_at)
  SELECT u.id, u.type_name, u.id, u.type_name, clock_timestamp(), u.id, 0, 'pending', u.input, 0, 'wait',
    clock_timestamp(), clock_timestamp()
  FROM unnest($1::uuid[], $2::text[], $3::text[]) AS u (id, type_name, input)`;

export const floorInsert = async (
  client: Pick<Pool, "query">,
  ids: readonly string[],
  typeName: string,
): Promise<void> => {
  await client.query({
    name: "floor_insert",
    text: insertSql,
    values: [ids, ids.map(() => typeName), ids.map(() => '{"n":1}')],
  });
};

export const floorAcquire = async (
  client: Pick<Pool, "query">,
  typeName: string,
  limit: number,
): Promise<readonly { readonly id: string }[]> => {
  const { rows } = await client.query<{ id: string }>({
    name: "floor_acquire",
    text: `
      WITH due AS MATERIALIZED (
        SELECT id FROM floor_job
        WHERE status = 'pending' AND type_name = $1 AND scheduled_at <= clock_timestamp()
        ORDER BY priority DESC, scheduled_at, ordinal LIMIT $2 FOR UPDATE SKIP LOCKED
      )
      UPDATE floor_job j SET status = 'running', attempt = attempt + 1,
        lease_version = lease_version + 1, leased_by = 'floor', last_attempt_at = clock_timestamp(),
        leased_until = clock_timestamp() + interval '30 s'
      FROM due WHERE j.id = due.id
      RETURNING j.id, j.type_name, j.input, j.attempt, j.lease_version`,
    values: [typeName, limit],
  });
  return rows;
};

export const floorComplete = async (
  client: Pick<Pool, "query">,
  ids: readonly string[],
): Promise<void> => {
  await client.query({
    name: "floor_complete",
    text: `
      UPDATE floor_job SET status = 'completed', output = 'null', finished_at = clock_timestamp(),
        completed_by = 'floor', leased_by = NULL, leased_until = NULL
      WHERE id = ANY($1::uuid[]) AND status = 'running'`,
    values: [ids],
  });
};
