import { actionsKeptMs, type OperatorStore } from "queuert/internal";
import { type PgDatabase, storableText } from "../database.ts";

export const beginAction = (db: PgDatabase): NonNullable<OperatorStore["beginAction"]> => {
  const begin = db.routine("begin_action", {
    id: "text",
    action: "text",
    user: "text",
    filter: "text",
    count: "bigint",
    keep_ms: "float8",
  });
  return async ({ id, action, user, filter, count }) => {
    const rows = await begin({
      ...{ id, action, user: storableText(user), filter: storableText(filter) },
      count: String(count),
      keep_ms: String(actionsKeptMs),
    });
    return rows.length === 1;
  };
};
