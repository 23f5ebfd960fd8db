import type { Database, InProcessOperatorMethod } from "../database.ts";
import { comesBefore, isDue } from "./count-ahead.ts";

export const listNext =
  (database: Database): InProcessOperatorMethod<"listNext"> =>
  async ({ typeName, limit, examineMax }) =>
    database.read(undefined, "listNext", (store) => {
      const pending = [...store.jobs.walk("asc", null)].filter(
        ({ committed, typeName: own }) =>
          own === typeName && committed?.status === "pending" && committed.limitKey === null,
      );
      pending.sort((left, right) => (comesBefore(left, right) ? -1 : 1));
      const now = database.now();
      const due = pending.slice(0, examineMax).filter((stored) => isDue(stored, now));
      return {
        ids: due.slice(0, limit).map(({ id }) => id),
        isCut: due.length < limit && pending.length >= examineMax,
      };
    });
