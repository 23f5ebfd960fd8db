// The history of attempts cannot be turned off. For the comparison, the routine that writes it writes nothing.
import pg from "pg";
import type { Participant } from "../participant.ts";
import { participant as usual, prepareQueuertPostgres } from "./postgres.ts";

const silent = `
CREATE OR REPLACE FUNCTION queuert.record_attempts(
  p_ids uuid[], p_worker_ids text[], p_acquired_us float8[], p_outcome text,
  p_ended_at timestamptz, p_errors text[], p_next_at timestamptz[])
RETURNS integer LANGUAGE plpgsql VOLATILE AS 'BEGIN RETURN 1; END'`;

export const participant: Participant = {
  ...usual,
  settings: "as queuert-postgres, without the history of failed attempts",
  prepare: async (target) => {
    await prepareQueuertPostgres(target);
    const client = new pg.Client({ connectionString: target.url });
    await client.connect();
    try {
      await client.query(silent);
    } finally {
      await client.end();
    }
  },
};
