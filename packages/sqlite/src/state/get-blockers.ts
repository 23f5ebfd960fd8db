import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { createReadBlockers } from "../steps/read-sequences.ts";

export const getBlockers = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["getBlockers"] => {
  const readBlockers = createReadBlockers(database.names);

  return async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.read(context, (session) => ids.map((id) => readBlockers(session, id)));
};
