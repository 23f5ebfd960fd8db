// The columns of a job that has just been acquired. It is the widest stream of rows there is, so it carries what differs
// from job to job; what few jobs have comes as one text, and what the caller knows does not come at all.
import { type JobColumn, jobColumns } from "./job-row.ts";
import type { PgRow } from "./state-provider.ts";

// The same for every job of an acquisition, or none of a job that has just been taken.
const known: readonly string[] = [
  ...["status", "output", "continued_to_id", "leased_by", "last_attempt_at_us"],
  ...["leased_until_us", "finished_at_us", "completed_by"],
];

// Of a first attempt at a job that was given nothing but an input there are none.
const rare: readonly string[] = [
  ...["priority", "scheduled_at_us", "on_blocker_failure", "deduplication_key"],
  "last_attempt_error",
];

const rest: JobColumn = { name: "rest", type: "text", from: (alias) => restOf(alias) };

export const acquiredColumns: readonly JobColumn[] = [
  ...jobColumns.filter(({ name }) => !known.includes(name) && !rare.includes(name)),
  rest,
];

const restOf = (alias: string): string => {
  const columns = jobColumns.filter(({ name }) => rare.includes(name));
  const pairs = columns.map(({ name, from }) => `'${name}', ${from(alias)}`);
  const isUsual =
    `${alias}.priority = 0 AND ${alias}.scheduled_at = ${alias}.created_at AND ${alias}.on_blocker_failure = 'wait' ` +
    `AND ${alias}.deduplication_key IS NULL AND ${alias}.last_attempt_error IS NULL`;
  return `CASE WHEN ${isUsual} THEN NULL ELSE json_build_object(${pairs.join(", ")})::text END`;
};

/** The row with its rare columns as columns. */
export const withRest = (row: PgRow): PgRow =>
  row["rest"] === null ? row : { ...row, ...(JSON.parse(String(row["rest"])) as PgRow) };
