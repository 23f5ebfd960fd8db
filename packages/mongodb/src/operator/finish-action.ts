import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";

export const finishAction =
  (db: Database): NonNullable<OperatorStore["finishAction"]> =>
  async ({ id, done, refused }) => {
    await db.actions.updateMany(outside, { _id: id }, [
      { $set: { done, refused, finishedAt: "$$NOW" } },
    ]);
  };
