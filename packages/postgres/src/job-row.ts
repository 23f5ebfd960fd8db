// The one place that knows the columns of a job: as they are selected, and what becomes of them.
import type { JobStatus, OnBlockerFailure, StateJob } from "queuert/internal";
import type { PgRow } from "./state-provider.ts";

// Instants travel as whole microseconds since 1970: every driver agrees on whole numbers, while what it makes of a timestamp
// or a fraction depends on its settings and on those of the session.
export const toUs = (column: string): string => `(date_part('epoch', ${column}) * 1000000)::bigint`;

type SqlType = "id" | "text" | "bigint" | "integer";

export interface JobColumn {
  readonly name: string;
  readonly type: SqlType;
  /** From a job row of the given alias. */
  readonly from: (alias: string) => string;
}

const plain = (name: string, type: SqlType): JobColumn => ({
  name,
  type,
  from: (alias) => `${alias}.${name}`,
});

const instant = (name: string): JobColumn => ({
  name: `${name}_us`,
  type: "bigint",
  from: (alias) => toUs(`${alias}.${name}`),
});

// What is as usual is not sent: most jobs are the only one of a root sequence, due when they were created. Nulls cost
// next to nothing on either side, ids and times in text do.
const unless = (column: JobColumn, same: string): JobColumn => ({
  ...column,
  from: (alias) => `NULLIF(${column.from(alias)}, ${same.replaceAll("$", alias)})`,
});

const instantUnless = (name: string, same: string): JobColumn => ({
  ...instant(name),
  from: (alias) =>
    `CASE WHEN ${alias}.${name} <> ${alias}.${same} THEN ${toUs(`${alias}.${name}`)} END`,
});

/** What every statement that answers with jobs returns of each, in this order. */
export const jobColumns: readonly JobColumn[] = [
  plain("id", "id"),
  plain("type_name", "text"),
  unless(plain("sequence_id", "id"), "$.id"),
  unless(plain("sequence_type_name", "text"), "$.type_name"),
  instantUnless("sequence_created_at", "created_at"),
  unless(plain("root_sequence_id", "id"), "$.id"),
  plain("origin_id", "id"),
  unless(plain("position", "integer"), "0"),
  plain("ordinal", "bigint"),
  plain("status", "text"),
  plain("input", "text"),
  plain("output", "text"),
  plain("continued_to_id", "id"),
  unless(plain("priority", "integer"), "0"),
  unless(plain("on_blocker_failure", "text"), "'wait'"),
  plain("deduplication_key", "text"),
  instant("created_at"),
  instantUnless("scheduled_at", "created_at"),
  plain("attempt", "integer"),
  instant("last_attempt_at"),
  plain("last_attempt_error", "text"),
  plain("lease_version", "integer"),
  plain("leased_by", "text"),
  instant("leased_until"),
  instant("finished_at"),
  plain("completed_by", "text"),
  plain("trace_context", "text"),
];

/** The select list of a job. */
export const jobSelection = (alias: string): string =>
  jobColumns.map(({ name, from }) => `${from(alias)} AS ${name}`).join(", ");

/** The same as one text, for jobs that come along with others. Ids may be numbers that JavaScript would round. */
export const jobText = (alias: string): string => {
  const values = jobColumns.map(({ type, from }) =>
    type === "id" ? `(${from(alias)})::text` : from(alias),
  );
  return `json_build_array(${values.join(", ")})::text`;
};

/** The row that `jobText` has made a text of. */
export const fromJobText = (text: unknown): PgRow => {
  const values = JSON.parse(String(text)) as readonly unknown[];
  return Object.fromEntries(jobColumns.map(({ name }, index) => [name, values[index]]));
};

/** What a driver may make of each column. */
export const toText = (value: unknown): string => value as string;
export const toNullableText = (value: unknown): string | null =>
  value === null || value === undefined ? null : String(value);
export const toDate = (value: unknown): Date => new Date(Number(value) / 1_000);
const toNullableDate = (value: unknown): Date | null =>
  value === null || value === undefined ? null : toDate(value);

export const toStateJob = (row: PgRow): StateJob => ({
  id: String(row["id"]),
  typeName: toText(row["type_name"]),
  sequenceId: String(row["sequence_id"] ?? row["id"]),
  sequenceTypeName: toText(row["sequence_type_name"] ?? row["type_name"]),
  sequenceCreatedAt: toDate(row["sequence_created_at_us"] ?? row["created_at_us"]),
  rootSequenceId: String(row["root_sequence_id"] ?? row["id"]),
  originId: toNullableText(row["origin_id"]),
  position: Number(row["position"] ?? 0),
  ordinal: Number(row["ordinal"]),
  status: row["status"] as JobStatus,
  input: toText(row["input"]),
  output: toNullableText(row["output"]),
  continuedToId: toNullableText(row["continued_to_id"]),
  priority: Number(row["priority"] ?? 0),
  onBlockerFailure: (row["on_blocker_failure"] ?? "wait") as OnBlockerFailure,
  deduplicationKey: toNullableText(row["deduplication_key"]),
  createdAt: toDate(row["created_at_us"]),
  scheduledAt: toDate(row["scheduled_at_us"] ?? row["created_at_us"]),
  attempt: Number(row["attempt"]),
  lastAttemptAt: toNullableDate(row["last_attempt_at_us"]),
  lastAttemptError: toNullableText(row["last_attempt_error"]),
  leaseVersion: Number(row["lease_version"]),
  leasedBy: toNullableText(row["leased_by"]),
  leasedUntil: toNullableDate(row["leased_until_us"]),
  finishedAt: toNullableDate(row["finished_at_us"]),
  completedBy: toNullableText(row["completed_by"]),
  traceContext: toNullableText(row["trace_context"]),
});
