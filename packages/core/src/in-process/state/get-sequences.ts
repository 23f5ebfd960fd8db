import type { Database } from "../database.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import { viewSequence } from "../to-state-job.ts";

export const getSequences =
  (database: Database): InProcessMethod<"getSequences"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.read(context, "getSequences", ({ cells }, view) =>
          ids.map((id) => viewSequence(cells.get(id), view)),
        );
