import type { OperatorStore } from "queuert/internal";
import type { PgDatabase } from "../database.ts";

export const finishAction = (db: PgDatabase): NonNullable<OperatorStore["finishAction"]> => {
  const finish = db.routine("finish_action", { id: "text", done: "bigint", refused: "bigint" });
  return async ({ id, done, refused }) => {
    await finish({ id, done: String(done), refused: String(refused) });
  };
};
