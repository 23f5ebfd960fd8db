// Limits by key. A released migration never changes: add another one instead.
export const limitKeys = {
  name: "0010-limit-keys",
  sql: [
    // NULL in every job without a key. The queue is the name of its ready row and of its lease, in the place of the type:
    // `limit-queue.ts` describes it. The cost is the number of tokens that its start takes; NULL is 1.
    `ALTER TABLE {schema}.job ADD COLUMN queue text COLLATE "C", ADD COLUMN start_cost integer`,
    // The bounds of each key, and how long a job waits for one level of priority.
    `ALTER TABLE {schema}.job_limit
  ADD COLUMN key_concurrency integer,
  ADD COLUMN key_rate_count integer,
  ADD COLUMN key_rate_per_ms float8,
  ADD COLUMN key_rate_burst integer,
  ADD COLUMN aging_ms float8`,
    // Keys with bounds of their own, with a pause, or whose rate has given tokens. The id begins the queues of the key.
    `CREATE TABLE {schema}.limit_key (
  id text COLLATE "C" PRIMARY KEY,
  limit_name text COLLATE "C" NOT NULL,
  key text COLLATE "C" NOT NULL,
  concurrency integer,
  rate_count integer,
  rate_per_ms float8,
  rate_burst integer,
  -- NULL: the key has no bounds of its own.
  weight integer,
  -- 'infinity': until it is resumed.
  paused_until timestamptz,
  pause_note text,
  back_at_us bigint
) WITH (fillfactor = 50)`,
    `CREATE INDEX limit_key_name ON {schema}.limit_key (limit_name, key)`,
    // Look at this queue at this time. Inserted with every ready row of a job under a key, and with every end of an attempt of
    // one. Only acquisitions delete them, and never update them.
    `CREATE TABLE {schema}.turn (
  look_at timestamptz NOT NULL,
  type_name text COLLATE "C" NOT NULL,
  queue text COLLATE "C" NOT NULL,
  -- How many jobs of its weight the key has started. NULL: none.
  used smallint
) WITH (
  autovacuum_vacuum_scale_factor = 0.02,
  autovacuum_vacuum_threshold = 2000,
  autovacuum_vacuum_insert_scale_factor = 0.1,
  autovacuum_analyze_scale_factor = 0.05,
  autovacuum_vacuum_cost_delay = 1
)`,
    `CREATE INDEX turn_order ON {schema}.turn (type_name, look_at)`,
    `CREATE INDEX turn_queue ON {schema}.turn (queue, look_at)`,
    // Settled leases are found by both columns: those of one acquisition end at the same moment, and there is one for each key.
    `DROP INDEX {schema}.lease_until`,
    `CREATE INDEX lease_until ON {schema}.lease (leased_until, first_ordinal)`,
    // The permits of a key. No lease of a job without a key is in it.
    `CREATE INDEX lease_queue ON {schema}.lease (type_name) WHERE type_name < chr(2)`,
    // A trigger, because ready rows are inserted in nine places and a turn that is left out is a job that waits for ever. Rows of
    // jobs without a key cost the comparison in WHEN.
    `CREATE FUNCTION {schema}.leave_turn() RETURNS trigger LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp
AS $trigger$
BEGIN
  INSERT INTO {schema}.turn (look_at, type_name, queue)
  SELECT CASE WHEN NEW.is_due THEN least(NEW.scheduled_at, clock_timestamp()) ELSE NEW.scheduled_at END,
    replace(replace(split_part(NEW.type_name, chr(1), 4), chr(2) || '1', chr(1)), chr(2) || '2', chr(2)),
    NEW.type_name;
  RETURN NULL;
END
$trigger$`,
    `CREATE TRIGGER ready_turn AFTER INSERT ON {schema}.ready FOR EACH ROW
WHEN (NEW.type_name < chr(2)) EXECUTE FUNCTION {schema}.leave_turn()`,
  ],
} as const;
