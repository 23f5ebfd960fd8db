// A store that has been in use for long.
import type { Bench } from "./measure.ts";

/** The rows that make the open jobs of a filled store pending. */
const readySql = `
  INSERT INTO queuert.ready (job_id, type_name, priority, scheduled_at, ordinal, is_due)
  SELECT j.id, j.type_name, j.priority, j.scheduled_at, j.ordinal, false
  FROM queuert.job j WHERE j.status = 'open'`;

const fillSql = (count: number, status: string, scheduledAt: string): string => `
  INSERT INTO queuert.job (id, type_name, sequence_id, sequence_type_name, sequence_created_at,
    root_sequence_id, position, status, sequence_outcome, input, priority, on_blocker_failure,
    created_at, scheduled_at, finished_at, incomplete_blockers)
  SELECT g.id, 'single', g.id, 'single', now(), g.id, 0, '${status}',
    CASE WHEN '${status}' = 'completed' THEN 'completed' END, '{"n":1}', 0, 'wait', now(), ${scheduledAt},
    CASE WHEN '${status}' = 'completed' THEN now() END, CASE WHEN '${status}' = 'blocked' THEN 1 ELSE 0 END
  FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, ${count})) g`;

/** Finished, scheduled and blocked jobs; a tenth of each with `isQuick`. */
export const fillStore = async ({ pool, isQuick }: Bench): Promise<void> => {
  const unit = isQuick ? 10_000 : 100_000;
  await pool.query(fillSql(10 * unit, "completed", "now()"));
  await pool.query(fillSql(2 * unit, "open", "now() + interval '1 day'"));
  await pool.query(fillSql(unit, "blocked", "now()"));
  await pool.query("UPDATE queuert.job SET set_aside = status WHERE status = 'blocked'");
  await pool.query(readySql);
  await pool.query("VACUUM ANALYZE queuert.job");
  await pool.query("VACUUM ANALYZE queuert.ready");
  await pool.query("CHECKPOINT");
};
