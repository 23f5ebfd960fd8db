// A sequence is two jobs, which are often the same: its first, and the one at its highest position.
import type { StateJob, StateSequence } from "queuert/internal";
import { toStateJob } from "./job-row.ts";
import type { PgRow } from "./state-provider.ts";

/** Sequences from rows `first` and `current`, by a key of the row. */
export const toSequences = <TKey = number>(
  rows: readonly PgRow[],
  keyOf: (row: PgRow) => TKey = (row) => Number(row["element"]) as TKey,
): ReadonlyMap<TKey, StateSequence> => {
  const current = new Map<TKey, StateJob>();
  for (const row of rows) {
    if (row["role"] === "current") current.set(keyOf(row), toStateJob(row["job"]));
  }
  const sequences = new Map<TKey, StateSequence>();
  for (const row of rows) {
    if (row["role"] !== "first") continue;
    const first = toStateJob(row["job"]);
    sequences.set(keyOf(row), { first, current: current.get(keyOf(row)) ?? first });
  }
  return sequences;
};
