// A transaction is the only writer, so it holds every lock already: no other transaction can continue a sequence.
import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { createReadSequence } from "../steps/read-sequences.ts";

export const lockSequences = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["lockSequences"] => {
  const readSequence = createReadSequence(database.names);

  return async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.writeWithin("lockSequences", context, (session) =>
          ids.map((id) => readSequence(session, id)),
        );
};
