// Pending jobs run now. One that is due already keeps its place.
import type { StateAdapter, TriggerResult } from "queuert/internal";
import type { Database } from "../database.ts";
import { referenceFields, toReference } from "../job-document.ts";
import { createToken } from "../token.ts";

export const createTriggerJobs =
  (db: Database): StateAdapter<object, object, string>["triggerJobs"] =>
  async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const scope = db.scopeOf(context);
    const token = createToken();
    await db.jobs.updateMany(scope, { _id: { $in: [...ids].sort() }, status: "pending" }, [
      { $set: { scheduledAt: { $min: ["$scheduledAt", "$$NOW"] }, token } },
    ]);
    const found = await db.jobs.find(
      scope,
      { _id: { $in: ids } },
      { projection: { ...referenceFields, token: 1 } },
    );
    const byId = new Map(found.map((document) => [document._id, document]));
    return ids.map((id): TriggerResult => {
      const job = byId.get(id);
      if (job === undefined) return { kind: "refused", reason: "not_found" };
      return job.token === token
        ? { kind: "triggered", job: toReference(job) }
        : { kind: "refused", reason: "not_pending" };
    });
  };
