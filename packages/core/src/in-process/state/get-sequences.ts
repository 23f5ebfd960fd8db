import type { Database, InProcessMethod } from "../database.ts";
import { viewSequence } from "../views.ts";

export const getSequences =
  (database: Database): InProcessMethod<"getSequences"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.read(context, "getSequences", ({ byId }, view) =>
          ids.map((id) => viewSequence(byId.get(id), view)),
        );
