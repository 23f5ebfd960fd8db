// Statements of operators on whole tables, under load.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Maintenance } from "./store.ts";

const withClient = async (
  url: string,
  use: (client: pg.Client) => Promise<void>,
): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await use(client);
  } finally {
    await client.end();
  }
};

const listTables = async (client: pg.Client): Promise<readonly string[]> => {
  const { rows } = await client.query<{ readonly name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
};

/** A statement that waits too long for a lock is given up and tried again: others would wait behind it. */
const patiently = async (client: pg.Client, text: string): Promise<void> => {
  await client.query("SET lock_timeout = '2s'");
  for (let tries = 0; tries < 5; tries++) {
    try {
      await client.query(text);
      return;
    } catch (error) {
      // 40P01: chosen as the victim of a deadlock. 55P03: the lock was not there in time.
      const { code } = error as { readonly code?: string };
      if (code !== "40P01" && code !== "55P03") throw error;
    }
  }
};

export const postgresMaintenance: Maintenance = {
  lockTables: (url, ms) =>
    withClient(url, async (client) => {
      const tables = await listTables(client);
      await client.query("SET lock_timeout = '5s'");
      await client.query("BEGIN");
      try {
        for (const table of tables) {
          await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
        }
        await sleep(ms);
      } catch (error) {
        const { code } = error as { readonly code?: string };
        if (code !== "40P01" && code !== "55P03") throw error;
        // Those it has are held all the same.
      }
      await client.query("ROLLBACK");
    }),
  vacuumFull: (url) =>
    withClient(url, async (client) => {
      for (const table of await listTables(client)) await patiently(client, `VACUUM FULL ${table}`);
    }),
  reindex: (url) =>
    withClient(url, async (client) => {
      for (const table of await listTables(client))
        await patiently(client, `REINDEX TABLE ${table}`);
    }),
};
