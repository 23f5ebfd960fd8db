// ↺ Pending jobs become due now. A due job keeps its place in the order.
import type { StateAdapter, TriggerResult } from "queuert/internal";
import type { Database } from "../database.ts";
import { createStamp, referenceFields, toReference } from "../job-document.ts";
import { turnNow } from "../limit-keys/key-document.ts";

export const triggerJobs =
  (db: Database): StateAdapter<object, object, string>["triggerJobs"] =>
  async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const scope = db.writeScopeOf(context);
    const stamp = createStamp();
    await db.jobs.updateMany(scope, { _id: { $in: [...ids].sort() }, status: "pending" }, [
      { $set: { scheduledAt: { $min: ["$scheduledAt", "$$NOW"] }, turnAt: turnNow, stamp } },
    ]);
    const found = await db.jobs.find(
      scope,
      { _id: { $in: ids } },
      { projection: { ...referenceFields, stamp: 1 } },
    );
    const byId = new Map(found.map((document) => [document._id, document]));
    return ids.map((id): TriggerResult => {
      const job = byId.get(id);
      if (job === undefined) return { kind: "refused", reason: "not_found" };
      return job.stamp === stamp
        ? { kind: "triggered", job: toReference(job) }
        : { kind: "refused", reason: "not_pending" };
    });
  };
