import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";

export const listProgress =
  (db: Database): NonNullable<OperatorStore["listProgress"]> =>
  async ({ jobIds }) => {
    if (jobIds.length === 0) return [];
    const found = await db.progress.find(outside, { _id: { $in: jobIds } });
    const byId = new Map(
      found.map(({ _id, storedAt, ...progress }) => [_id, { ...progress, at: storedAt }]),
    );
    return jobIds.map((id) => byId.get(id));
  };
