import type { OperatorStore } from "queuert/internal";
import type { Database } from "../database.ts";

/** Behind every text that begins with the prefix, in the order of UTF-8. */
const last = "\u{10ffff}";

export const findIds = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): NonNullable<OperatorStore["findIds"]> => {
  const select = `SELECT id FROM ${database.names.job} WHERE id >= ? AND id < ? LIMIT +?`;
  return ({ prefix, limit }) =>
    database.read(undefined, (session) =>
      session.all<[string]>(select, prefix, prefix + last, limit).map(([id]) => id),
    );
};
