import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";

export const listAttempts =
  (db: Database): NonNullable<OperatorStore["listAttempts"]> =>
  async ({ jobIds }) => {
    if (jobIds.length === 0) return [];
    const projection = { attempts: 1 } as const;
    const found = await db.jobs.find(outside, { _id: { $in: jobIds } }, { projection });
    const byId = new Map(found.map(({ _id, attempts }) => [_id, attempts]));
    return jobIds.map((id) => byId.get(id) ?? []);
  };
