import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

export const readClock =
  <TTxContext extends object, TContext extends object>(
    database: Database<TTxContext, TContext>,
  ): NonNullable<OperatorStore["readClock"]> =>
  () =>
    database.read(undefined, (session) => new Date(session.now()));
