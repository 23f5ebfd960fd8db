import { actionsKeptMs } from "../../adapters/operator-actions.ts";
import type { Database, InProcessOperatorMethod } from "../database.ts";

export const beginAction =
  (database: Database): InProcessOperatorMethod<"beginAction"> =>
  async (action) => {
    const { actions } = database;
    const now = database.now();
    for (const [id, { startedAt }] of actions) {
      if (now - startedAt.getTime() > actionsKeptMs) actions.delete(id);
    }
    if (actions.has(action.id)) return false;
    const begun = { startedAt: new Date(now), finishedAt: null, done: 0, refused: 0 };
    actions.set(action.id, { ...action, ...begun });
    return true;
  };
