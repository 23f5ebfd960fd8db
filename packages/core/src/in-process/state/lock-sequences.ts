// The transaction is the only writer, so it holds every lock there is.
import type { Database } from "../database.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import { viewSequence } from "../to-state-job.ts";

export const lockSequences =
  (database: Database): InProcessMethod<"lockSequences"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.writeInTransaction(context, "lockSequences", ({ cells }) =>
          ids.map((id) => viewSequence(cells.get(id), "transaction")),
        );
