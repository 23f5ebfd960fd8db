import { type PgDatabase, type PgState, toArrayLiteral } from "../database.ts";
import { rowToStateJob } from "../job-row.ts";

export const listJobs = (db: PgDatabase): PgState["listJobs"] => {
  const list = db.jobRoutine("list_jobs", {
    type_names: "text[]",
    statuses: "text[]",
    sequence_id: "id",
    root_sequence_id: "id",
    created_from: "timestamptz",
    created_to: "timestamptz",
    order: "text",
    after_ordinal: "bigint",
    limit: "integer",
    sequence_type_names: "text[]",
  });
  return async ({
    context,
    sequenceId,
    rootSequenceId,
    sequenceTypeNames = null,
    timeoutMs,
    ...asked
  }) => {
    const sequence = sequenceId === null ? null : db.id(sequenceId);
    const root = rootSequenceId === null ? null : db.id(rootSequenceId);
    // No job has an id that cannot be one.
    if ((sequenceId !== null && !sequence) || (rootSequenceId !== null && !root)) return [];
    const args = {
      ...toPageArgs(asked),
      sequence_id: sequence,
      root_sequence_id: root,
      sequence_type_names: sequenceTypeNames && toArrayLiteral(sequenceTypeNames),
    };
    const rows = await list(args, context, timeoutMs);
    return rows.map(rowToStateJob);
  };
};

type Page = Omit<
  Parameters<PgState["listJobs"]>[0],
  "context" | "sequenceId" | "rootSequenceId" | "sequenceTypeNames" | "timeoutMs"
>;

type PageArgs = Readonly<
  Record<
    "type_names" | "statuses" | "created_from" | "created_to" | "order" | "after_ordinal" | "limit",
    string | null
  >
>;

/** The arguments that lists of jobs and of sequences share; null: no condition. */
export const toPageArgs = ({
  typeNames,
  statuses,
  createdFrom,
  createdTo,
  ...page
}: Page): PageArgs => ({
  type_names: typeNames && toArrayLiteral(typeNames),
  statuses: statuses && toArrayLiteral(statuses),
  created_from: createdFrom?.toISOString() ?? null,
  created_to: createdTo?.toISOString() ?? null,
  order: page.order,
  after_ordinal: page.afterOrdinal === null ? null : String(page.afterOrdinal),
  limit: String(page.limit),
});
