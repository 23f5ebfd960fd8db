import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { toStateSequence } from "../sequences.ts";

export const getSequences =
  (db: Database): StateAdapter<object, object, string>["getSequences"] =>
  async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const sequences = await db.sequences.find(db.scopeOf(context), ids);
    return ids.map((id) => {
      const sequence = sequences.get(id);
      return sequence && toStateSequence(sequence);
    });
  };
