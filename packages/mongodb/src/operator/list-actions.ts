import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";
import { outside } from "../store.ts";

export const listActions =
  (db: Database): NonNullable<OperatorStore["listActions"]> =>
  async ({ limit }) => {
    const found = await db.actions.find(outside, {}, { sort: { startedAt: -1, _id: 1 }, limit });
    return found.map(({ _id, stamp, ...action }) => {
      void stamp;
      return { id: _id, ...action };
    });
  };
