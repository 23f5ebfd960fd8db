// A routine is one SQL function, written whole as literal text. A contract method that needs more than one statement is a
// PL/pgSQL function, which takes one round trip. Its statements are planned once per connection, also without prepared
// statements, so that a proxy may pool transactions. Each statement of a VOLATILE function has a fresh
// snapshot under READ COMMITTED. Two transactions that wait for each other's locks therefore see each other's writes.
//
// If the signature or the result of a routine changes, the routine gets a new name with a version (`acquire_jobs_2`).
// Workers of the version before still call the old name. A change of the body alone keeps the name.
import { isUsual, jobText, leaseOf, rareFields } from "../job-row.ts";
import type { StoreNames } from "../store-names.ts";

export interface Routine {
  readonly name: string;
  /** CREATE OR REPLACE FUNCTION, with the placeholders that `fillRoutine` replaces. */
  readonly sql: string;
}

// The statements are written for ordered index probes. Stale statistics must not make the planner read the whole table.
// A plan with another join order than that of the locks would lock in another order.
//
// The path is pinned. Otherwise, a role that may create functions in a schema on the session's path could plant a better
// match for `array_position(text[], text)`. That code would run with the rights of the worker. With
// row_security off, a policy that hides jobs from the role is an error instead of an idle worker. Each setting costs a
// call 1 to 3 microseconds.
const settings = `SET search_path = {path}
SET row_security = off
SET enable_seqscan = off
SET enable_bitmapscan = off
SET enable_hashjoin = off
SET enable_mergejoin = off
SET jit = off
SET plan_cache_mode = force_generic_plan`;

/**
 * The text for one store. Its placeholders:
 * - `{schema}`, `{id}` (the SQL type of ids), `{path}` (the search_path)
 * - `{settings}` (path and planner settings)
 * - `{lease j}` (joins the lease of the row with the alias `j`)
 * - `{job j}` (that row and its lease as the JSON text of a job)
 * - `{type of q}` (the job type of a queue, which for most is its name), `{key of q}` (the id of its key), `{end of k}` (behind all
 *   queues that begin so); see `limit-queue.ts`
 * - `{probe j u.id}` (joins the job of an id by a probe of the index. A plan is kept for as long as its connection. One that was
 *   made while the table was small may read the whole table for each call, until the next ANALYZE: OFFSET 0 fixes the order)
 * - `{is j.id u.id}` (the same for a row that is updated: such a condition has no other plan than a probe of the index)
 * - `{rare j}` (its rare fields, for a JSON object), `{usual j}` (true if each has its usual value)
 */
export const fillRoutine = ({ sql }: Routine, names: StoreNames, path: string): string => {
  const values: Readonly<Record<string, string>> = { schema: names.schema, id: names.idType, path };
  return withOwnTags(sql.trim(), names.schema)
    .replaceAll("{settings}", () => settings)
    .replaceAll(/\{probe (\w+) ([\w.]+)\}/g, (_, alias: string, id: string) => probeOf(alias, id))
    .replaceAll(/\{is ([\w.]+) ([\w.]+)\}/g, "$1 = ANY(ARRAY[$2])")
    .replaceAll(/\{lease (\w+)\}/g, (_, alias: string) => leaseOf(alias))
    .replaceAll(/\{job (\w+)\}/g, (_, alias: string) => jobText(alias))
    .replaceAll(/\{rare (\w+)\}/g, (_, alias: string) => rareFields(alias))
    .replaceAll(/\{usual (\w+)\}/g, (_, alias: string) => isUsual(alias))
    .replaceAll(/\{type of ([\w.]+)\}/g, (_, queue: string) => typeOfQueue(queue))
    .replaceAll(/\{unescaped ([^}]+)\}/g, (_, text: string) => unescapedSql(text))
    .replaceAll(/\{escaped ([^}]+)\}/g, (_, text: string) => escapedSql(text))
    .replaceAll(/\{key of ([\w.]+)\}/g, (_, queue: string) => keyOfQueue(queue))
    .replaceAll(/\{end of ([\w.]+)\}/g, (_, id: string) => endOfRange(id))
    .replaceAll(/\{(schema|id|path)\}/g, (_, key: string) => values[key] ?? "");
};

const probeOf = (alias: string, id: string): string =>
  `CROSS JOIN LATERAL (SELECT o.* FROM {schema}.job o WHERE o.id = ${id} OFFSET 0) ${alias}`;

const unescapedSql = (text: string): string =>
  `replace(replace(${text}, chr(2) || '1', chr(1)), chr(2) || '2', chr(2))`;

const escapedSql = (text: string): string =>
  `replace(replace(${text}, chr(2), chr(2) || '2'), chr(1), chr(2) || '1')`;

const typeOfQueue = (queue: string): string =>
  `CASE WHEN ${queue} < chr(2) THEN ${unescapedSql(`split_part(${queue}, chr(1), 4)`)} ELSE ${queue} END`;

const keyOfQueue = (queue: string): string =>
  `(chr(1) || split_part(${queue}, chr(1), 2) || chr(1) || split_part(${queue}, chr(1), 3) || chr(1))`;

const endOfRange = (id: string): string => `(left(${id}, -1) || chr(2))`;

const tag = /\$(routine|query)\$/g;

/** A schema may have any name, and must not end the quoted body. */
const withOwnTags = (sql: string, schema: string): string => {
  let suffix = "";
  while (schema.includes(`$routine${suffix}$`) || schema.includes(`$query${suffix}$`))
    suffix += "_";
  return sql.replaceAll(tag, (_, name: string) => `$${name}${suffix}$`);
};
