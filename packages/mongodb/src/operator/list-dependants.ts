import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { within } from "../store.ts";

export const listDependants =
  (db: Database): NonNullable<OperatorStore["listDependants"]> =>
  async ({ sequenceId, afterId, limit, timeoutMs }) => {
    const scope = within(timeoutMs);
    // Jobs keep the ids of blockers that were deleted since.
    const [sequence] = await db.jobs.find(scope, { _id: sequenceId }, { projection: { _id: 1 } });
    if (sequence === undefined) return [];
    const found = await db.jobs.find(
      scope,
      { blockers: sequenceId, ...(afterId !== null && { _id: { $gt: afterId } }) },
      { projection: { _id: 1 }, sort: { _id: 1 }, limit },
    );
    return found.map(({ _id }) => _id);
  };
