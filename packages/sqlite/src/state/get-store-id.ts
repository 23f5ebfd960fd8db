import { randomBytes } from "node:crypto";
import type { StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import type { Session } from "../session.ts";

export const getStoreId = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["getStoreId"] => {
  const { store } = database.names;
  const select = `SELECT id FROM ${store} LIMIT 1`;
  const insert = `INSERT INTO ${store} VALUES (?)`;
  const read = (session: Session): string | undefined => session.get<[string]>(select)?.[0];

  // Tests of applications empty every table. There is one writer, so the new identity is written once.
  const readOrWrite = (session: Session): string => {
    const found = read(session);
    if (found !== undefined) return found;
    const storeId = randomBytes(8).toString("hex");
    session.run(insert, storeId);
    return storeId;
  };
  return async () =>
    (await database.read(undefined, read)) ?? database.write("getStoreId", undefined, readOrWrite);
};
