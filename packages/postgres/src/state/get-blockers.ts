import type { StateSequence } from "queuert/internal";
import { toSequences } from "../job-row.ts";
import type { PgRow } from "../state-provider.ts";
import type { PgDatabase, PgState } from "../database.ts";

const keyOf = (row: PgRow): string => `${String(row["element"])} ${String(row["place"])}`;

export const getBlockers = (db: PgDatabase): PgState["getBlockers"] => {
  const get = db.routine("get_blockers", { ids: "id[]" });
  return async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const sequences = toSequences(await get({ ids: db.ids(ids) }, context), keyOf);
    const lists = ids.map((): { readonly place: number; readonly sequence: StateSequence }[] => []);
    for (const [key, sequence] of sequences) {
      const [element, place] = key.split(" ");
      lists[Number(element) - 1]?.push({ place: Number(place), sequence });
    }
    return lists.map((list) =>
      list.sort((a, b) => a.place - b.place).map(({ sequence }) => sequence),
    );
  };
};
