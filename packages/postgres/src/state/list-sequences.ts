import { toSequences } from "../sequence-rows.ts";
import { toPageArgs } from "./list-jobs.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

export const listSequences = (db: PgDatabase): PgState["listSequences"] => {
  const list = db.routine("list_sequences", {
    type_names: "text[]",
    statuses: "text[]",
    root_sequence_id: "id",
    created_from: "timestamptz",
    created_to: "timestamptz",
    order: "text",
    after_ordinal: "bigint",
    limit: "integer",
  });
  return async ({ context, rootSequenceId, ...asked }) => {
    const root = rootSequenceId === null ? null : db.id(rootSequenceId);
    // No job has an id that cannot be one.
    if (rootSequenceId !== null && root === null) return [];
    const rows = await list({ ...toPageArgs(asked), root_sequence_id: root }, context);
    const direction = asked.order === "asc" ? 1 : -1;
    // The element of a row is the ordinal of the sequence.
    return [...toSequences(rows)]
      .sort(([a], [b]) => direction * (a - b))
      .map(([, sequence]) => sequence);
  };
};
