import type { Client } from "pg";
import type { FillCounts } from "../participant.ts";

// The columns that a queue with sequences, leases and retries has.
const columns = `
  id uuid PRIMARY KEY, type_name text NOT NULL, sequence_id uuid NOT NULL,
  sequence_type_name text NOT NULL, sequence_created_at timestamptz NOT NULL,
  root_sequence_id uuid NOT NULL, origin_id uuid, position integer NOT NULL,
  ordinal bigint GENERATED ALWAYS AS IDENTITY, status text NOT NULL, input text NOT NULL, output text,
  continued_to_id uuid, priority integer NOT NULL, on_blocker_failure text NOT NULL,
  deduplication_key text, created_at timestamptz NOT NULL, scheduled_at timestamptz NOT NULL,
  attempt integer NOT NULL DEFAULT 0, last_attempt_at timestamptz, last_attempt_error text,
  lease_version integer NOT NULL DEFAULT 0, leased_by text, leased_until timestamptz,
  incomplete_blockers integer NOT NULL DEFAULT 0,
  finished_at timestamptz, completed_by text, trace_context text`;

export const createFloorTables = async (client: Client): Promise<void> => {
  await client.query(`
    CREATE TABLE floor_job (${columns}) WITH (fillfactor = 85);
    CREATE INDEX floor_job_due ON floor_job (type_name, priority DESC, scheduled_at, ordinal)
      WHERE status = 'pending';
    CREATE TABLE floor_blocker (blocker_id uuid NOT NULL, job_id uuid NOT NULL, PRIMARY KEY (blocker_id, job_id))`);
};

export const fillFloor = async (
  client: Client,
  { finished, scheduled, otherType }: FillCounts,
): Promise<void> => {
  await client.query(`
    INSERT INTO floor_job (id, type_name, sequence_id, sequence_type_name, sequence_created_at, root_sequence_id,
      position, status, input, output, priority, on_blocker_failure, created_at, scheduled_at, finished_at)
    SELECT id, type, id, type, now(), id, 0,
      CASE WHEN n <= ${finished} THEN 'completed' ELSE 'pending' END, '{"at":0,"text":"${"x".repeat(70)}"}', 'null',
      CASE WHEN n <= ${finished} OR type = 'other' THEN 0 ELSE n % 2 END, 'wait', now(),
      CASE WHEN n <= ${finished} OR type = 'other' THEN now() ELSE now() + interval '1 day' END, now()
    FROM (SELECT n, CASE WHEN n <= ${finished + scheduled} THEN 'single' ELSE 'other' END AS type, (lpad(to_hex(1700000000000 + n), 12, '0') || '7000' || '8000' || lpad(to_hex(n), 12, '0'))::uuid AS id
      FROM generate_series(1, ${finished + scheduled + otherType}) AS n) AS numbered`);
  await client.query("VACUUM (ANALYZE)");
};
