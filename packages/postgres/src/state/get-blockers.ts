import type { StateSequence } from "queuert/internal";
import { argument } from "../database.ts";
import { sequenceRows, toSequences } from "../sequence-rows.ts";
import type { PgDatabase, PgState } from "./pg-state.ts";

// One number for both places: which job was asked for, and the blocker's place in its list.
const placesPerJob = 100_000;

export const getBlockers = (db: PgDatabase): PgState["getBlockers"] => {
  const get = db.statement(
    "get_blockers",
    sequenceRows(
      db.names,
      `SELECT u.element * ${placesPerJob} + b.index AS element, b.blocker_sequence_id AS id
      FROM unnest(${argument(db.names, 1, "id[]")}) WITH ORDINALITY AS u (id, element)
      JOIN ${db.names.schema}.job_blocker b ON b.job_id = u.id`,
    ),
  );
  return async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const found = [...toSequences(await get([db.ids(ids)], context))].sort(([a], [b]) => a - b);
    const lists = ids.map((): StateSequence[] => []);
    for (const [place, sequence] of found) {
      lists[Math.floor(place / placesPerJob) - 1]?.push(sequence);
    }
    return lists;
  };
};
