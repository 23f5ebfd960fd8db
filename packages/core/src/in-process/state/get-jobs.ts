import type { Database } from "../database.ts";
import type { InProcessMethod } from "../in-process-method.ts";
import { viewJob } from "../to-state-job.ts";

export const getJobs =
  (database: Database): InProcessMethod<"getJobs"> =>
  async ({ context, ids }) =>
    ids.length === 0
      ? []
      : database.read(context, "getJobs", ({ cells }, view) =>
          ids.map((id) => viewJob(cells.get(id), view)),
        );
