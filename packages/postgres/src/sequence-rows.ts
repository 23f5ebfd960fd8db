// A sequence is two jobs, often the same: its first, and the one at its highest position.
import type { StateSequence } from "queuert/internal";
import { jobSelection, toStateJob } from "./job-row.ts";
import type { PgRow } from "./state-provider.ts";
import type { StoreNames } from "./store-names.ts";

/** Of the job with the highest position, from a lateral subquery: nothing if that is the first. */
export const currentJob = ({ schema }: StoreNames, sequenceId: string): string =>
  `(SELECT c.* FROM ${schema}.job c WHERE c.sequence_id = ${sequenceId} AND c.position > 0 ` +
  `ORDER BY c.position DESC LIMIT 1)`;

/** First and current jobs of sequences given as rows (element, id): two rows for a sequence that was continued. */
export const sequenceRows = (names: StoreNames, sequences: string): string =>
  `WITH wanted AS MATERIALIZED (${sequences})
  SELECT 'first' AS role, w.element, ${jobSelection("j")}
  FROM wanted w JOIN ${names.schema}.job j ON j.id = w.id AND j.position = 0
  UNION ALL
  SELECT 'current' AS role, w.element, ${jobSelection("j")}
  FROM wanted w CROSS JOIN LATERAL ${currentJob(names, "w.id")} j`;

/** By element. */
export const toSequences = (rows: readonly PgRow[]): ReadonlyMap<number, StateSequence> => {
  const sequences = new Map<number, StateSequence>();
  const current = new Map<number, PgRow>();
  for (const row of rows) {
    if (row["role"] === "current") current.set(Number(row["element"]), row);
  }
  for (const row of rows) {
    if (row["role"] !== "first") continue;
    const element = Number(row["element"]);
    const first = toStateJob(row);
    const later = current.get(element);
    sequences.set(element, { first, current: later === undefined ? first : toStateJob(later) });
  }
  return sequences;
};
