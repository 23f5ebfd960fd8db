import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { findSequences, toStateSequence } from "../sequences.ts";

export const createGetSequences =
  (db: Database): StateAdapter<object, object, string>["getSequences"] =>
  async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const sequences = await findSequences(db, db.scopeOf(context), ids);
    return ids.map((id) => {
      const sequence = sequences.get(id);
      return sequence && toStateSequence(sequence);
    });
  };
