import type { Database, InProcessOperatorMethod } from "../database.ts";

export const finishAction =
  (database: Database): InProcessOperatorMethod<"finishAction"> =>
  async ({ id, done, refused }) => {
    const action = database.actions.get(id);
    if (action === undefined) return;
    const finishedAt = new Date(database.now());
    database.actions.set(id, { ...action, finishedAt, done, refused });
  };
