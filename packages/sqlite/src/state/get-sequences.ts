import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { createReadSequence } from "../steps/read-sequences.ts";

export const getSequences = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["getSequences"] => {
  const readSequence = createReadSequence(database.names);

  return async ({ context, ids }) => {
    if (ids.length === 0) return [];
    return database.read(context, (session) => ids.map((id) => readSequence(session, id)));
  };
};
