import type { Database, InProcessMethod } from "../database.ts";
import { viewJob } from "../views.ts";

export const getJobs =
  (database: Database): InProcessMethod<"getJobs"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.read(context, "getJobs", ({ byId }, view) =>
          ids.map((id) => viewJob(byId.get(id), view)),
        );
