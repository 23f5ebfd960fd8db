import type { OperatorStore } from "../../adapters/operator-store.ts";
import type { Database } from "../database.ts";

export const readClock =
  (database: Database): NonNullable<OperatorStore["readClock"]> =>
  async () =>
    database.readIndexes(undefined, "readClock", ({ now }) => new Date(now));
