import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { toStateJob } from "../job-document.ts";

export const getJobs =
  (db: Database): StateAdapter<object, object, string>["getJobs"] =>
  async ({ context, ids }) => {
    if (ids.length === 0) return [];
    const found = await db.jobs.find(db.scopeOf(context), { _id: { $in: ids } });
    const byId = new Map(found.map((document) => [document._id, toStateJob(document)]));
    return ids.map((id) => byId.get(id));
  };
