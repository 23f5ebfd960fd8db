import pg from "pg";
import { expect, it } from "vitest";
import { startPgbouncer } from "../src/pgbouncer.ts";
import { startPostgres } from "../src/postgres.ts";
import { closing } from "./closing.ts";

// It may have to be installed.
const timeoutMs = 180_000;

it(
  "serves more clients than it has connections, and a transaction on one of them",
  { timeout: timeoutMs },
  async () => {
    await using server = await closing(startPostgres());
    await using pooler = await closing(startPgbouncer(server.url));
    const { url } = await server.createDatabase();
    const clientCount = 50;
    const pool = new pg.Pool({ connectionString: pooler.through(url), max: clientCount });
    const clients = await Promise.all(Array.from({ length: clientCount }, () => pool.connect()));
    const pidOf = async (client: pg.PoolClient): Promise<number> => {
      const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
      return rows[0]?.pid ?? 0;
    };
    const pids = await Promise.all(clients.map(pidOf));
    expect(new Set(pids).size).toBeLessThanOrEqual(20);
    const [client] = clients;
    if (client === undefined) throw new Error("There are clients.");
    await client.query("BEGIN");
    const inside = [await pidOf(client), await pidOf(client)];
    await client.query("COMMIT");
    expect(new Set(inside).size).toBe(1);
    for (const each of clients) each.release();
    await pool.end();
  },
);
