// The transaction is the only writer, so it holds every lock already.
import type { Database, InProcessMethod } from "../database.ts";
import { viewSequence } from "../views.ts";

export const lockSequences =
  (database: Database): InProcessMethod<"lockSequences"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.writeInTransaction(context, "lockSequences", ({ byId }) =>
          ids.map((id) => viewSequence(byId.get(id), "transaction")),
        );
