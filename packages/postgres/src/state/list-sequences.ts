import type { StateJob, StateSequence } from "queuert/internal";
import { rowToStateJob } from "../job-row.ts";
import { toPageArgs } from "./list-jobs.ts";
import type { PgDatabase, PgState } from "../database.ts";

export const listSequences = (db: PgDatabase): PgState["listSequences"] => {
  const list = db.jobRoutine("list_sequences", {
    type_names: "text[]",
    statuses: "text[]",
    root_sequence_id: "id",
    created_from: "timestamptz",
    created_to: "timestamptz",
    order: "text",
    after_ordinal: "bigint",
    limit: "integer",
  });
  return async ({ context, rootSequenceId, timeoutMs, ...asked }) => {
    const root = rootSequenceId === null ? null : db.id(rootSequenceId);
    // No job has an id that cannot be one.
    if (rootSequenceId !== null && root === null) return [];
    const args = { ...toPageArgs(asked), root_sequence_id: root };
    const rows = await list(args, context, timeoutMs);
    return toSequences(rows.map(rowToStateJob));
  };
};

/** The current job of a sequence that was continued follows its first job. */
const toSequences = (jobs: readonly StateJob[]): StateSequence[] => {
  const sequences: StateSequence[] = [];
  for (const job of jobs) {
    const last = sequences.at(-1);
    if (job.position === 0 || last === undefined) sequences.push({ first: job, current: job });
    else sequences[sequences.length - 1] = { first: last.first, current: job };
  }
  return sequences;
};
