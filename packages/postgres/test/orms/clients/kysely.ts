import { CamelCasePlugin, Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { createKyselyStateProvider } from "../../../src/orms/kysely.ts";
import type { OpenOrm } from "../orm-client.ts";

interface Tables {
  done: { key: string };
}

// The plugin renames columns; the adapter's statements are not affected.
const plugins = [new CamelCasePlugin()];

export const openKysely: OpenOrm = async (url, { connectionsMax, acquireTimeoutMs = 0 }) => {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: acquireTimeoutMs,
  });
  // Without listeners, a connection that breaks between two statements ends the process.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }), plugins });
  return {
    stateProvider: createKyselyStateProvider(db, { connectionsMax }),
    transaction: (callback) => db.transaction().execute((trx) => callback({ db: trx })),
    insert: async (context, key) => {
      const { db: trx } = context as { db: Kysely<Tables> };
      await trx.insertInto("done").values({ key }).execute();
    },
    close: () => db.destroy(),
  };
};
