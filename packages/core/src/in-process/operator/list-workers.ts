import type { Database, InProcessOperatorMethod } from "../database.ts";

export const listWorkers =
  (database: Database): InProcessOperatorMethod<"listWorkers"> =>
  async () =>
    [...database.workers.values()].sort(
      (left, right) => right.beatAt.getTime() - left.beatAt.getTime(),
    );
