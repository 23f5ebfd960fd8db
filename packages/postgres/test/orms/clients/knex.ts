import knex, { type Knex } from "knex";
import { createKnexStateProvider } from "../../../src/orms/knex.ts";
import type { OpenOrm } from "../orm-client.ts";

export const openKnex: OpenOrm = async (url, { connectionsMax, acquireTimeoutMs = 60_000 }) => {
  const db = knex({
    client: "pg",
    connection: url,
    pool: { min: 0, max: connectionsMax },
    acquireConnectionTimeout: acquireTimeoutMs,
  });
  return {
    stateProvider: createKnexStateProvider(db, { connectionsMax }),
    transaction: (callback) => db.transaction((trx) => callback({ trx })),
    insert: async (context, key) => {
      await (context as { trx: Knex.Transaction }).trx("done").insert({ key });
    },
    close: () => db.destroy(),
  };
};
