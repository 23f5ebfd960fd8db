import type { Database } from "../database.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import { viewBlockers } from "../to-state-job.ts";

export const getBlockers =
  (database: Database): InProcessMethod<"getBlockers"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.read(context, "getBlockers", ({ cells }, view) =>
          ids.map((id) => viewBlockers(cells.get(id), view)),
        );
