import type { Routine } from "./routine.ts";

/** A row if the action was stored; none if an action of the id is stored already. */
export const beginAction: Routine = {
  name: "begin_action",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.begin_action(
  p_id text, p_action text, p_user text, p_filter text, p_count bigint, p_keep_ms float8)
RETURNS TABLE (id text)
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
#variable_conflict use_column
DECLARE
  v_now timestamptz := clock_timestamp();
BEGIN
  DELETE FROM {schema}.action a WHERE a.ctid = ANY(ARRAY(
    SELECT o.ctid FROM {schema}.action o
    WHERE o.started_at < v_now - p_keep_ms * interval '1 ms' FOR UPDATE SKIP LOCKED));
  RETURN QUERY
  INSERT INTO {schema}.action AS a (id, action, by_user, filter, job_count, started_at)
  VALUES (p_id, p_action, p_user, p_filter, p_count, v_now)
  ON CONFLICT DO NOTHING RETURNING a.id;
END
$routine$`,
};

/** Stores the end of an action. Returns how many are stored: Prisma reads no void. */
export const finishAction: Routine = {
  name: "finish_action",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.finish_action(p_id text, p_done bigint, p_refused bigint)
RETURNS integer
LANGUAGE plpgsql VOLATILE
{settings}
AS $routine$
DECLARE
  v_count integer;
BEGIN
  UPDATE {schema}.action a
  SET finished_at = clock_timestamp(), done = p_done, refused = p_refused WHERE a.id = p_id;
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count;
END
$routine$`,
};

/** The actions, the newest first. */
export const listActions: Routine = {
  name: "list_actions",
  sql: `
CREATE OR REPLACE FUNCTION {schema}.list_actions(p_limit integer)
RETURNS TABLE (
  id text, action text, by_user text, filter text, job_count bigint, started_at_us bigint,
  finished_at_us bigint, done bigint, refused bigint)
LANGUAGE plpgsql STABLE
{settings}
AS $routine$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT a.id, a.action, a.by_user, a.filter, a.job_count,
    (date_part('epoch', a.started_at) * 1000000)::bigint,
    (date_part('epoch', a.finished_at) * 1000000)::bigint, a.done, a.refused
  FROM {schema}.action a ORDER BY a.started_at DESC, a.id LIMIT p_limit;
END
$routine$`,
};
