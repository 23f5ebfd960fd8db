import type { Database, InProcessMethod } from "../database.ts";
import { viewBlockers } from "../views.ts";

export const getBlockers =
  (database: Database): InProcessMethod<"getBlockers"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.read(context, "getBlockers", ({ byId }, view) =>
          ids.map((id) => viewBlockers(byId.get(id), view)),
        );
