import pg from "pg";
import { describe, expect, it } from "vitest";
import { startPostgres } from "../src/postgres.ts";
import { startPostgres18 } from "../src/postgres-18.ts";
import type { PostgresOptions, PostgresService } from "../src/postgres-server.ts";
import { closing } from "./closing.ts";

const ask = async (url: string, text: string): Promise<unknown> => {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text, rowMode: "array" });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
};

const servers: [string, (options: PostgresOptions) => Promise<PostgresService>][] = [
  ["postgres", startPostgres],
  ["postgres-18", startPostgres18],
];

describe.each(servers)("%s", (name, startServer) => {
  it("keeps its data and its port through stop, restart and kill", async () => {
    await using server = await closing(startServer({ exclusive: true }));
    const database = await server.createDatabase();
    await ask(database.url, "CREATE TABLE kept AS SELECT 1 AS one");
    await server.restart();
    await server.stop();
    await expect(ask(database.url, "SELECT 1")).rejects.toThrow("ECONNREFUSED");
    await server.start();
    await server.kill();
    await server.start();
    expect(await ask(database.url, "SELECT one FROM kept")).toBe(1);
    const copy = await server.createDatabase({ template: database.name });
    expect(await ask(copy.url, "SELECT one FROM kept")).toBe(1);
    await database.drop();
    await expect(ask(database.url, "SELECT 1")).rejects.toThrow("does not exist");
  });

  it("stops answering while paused, sessions included", async () => {
    await using server = await closing(startServer({ exclusive: true }));
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    server.pause();
    const answer = client.query("SELECT 1").then(() => "answered");
    const late = new Promise((resolve) => setTimeout(resolve, 300, "late"));
    expect(await Promise.race([answer, late])).toBe("late");
    server.resume();
    expect(await answer).toBe("answered");
    await client.end();
  });

  it("gives up fsync unless asked for the default", async () => {
    await using server = await closing(startServer({ exclusive: true, durability: "default" }));
    expect(await ask(server.url, "SHOW fsync")).toBe("on");
    const version = String(await ask(server.url, "SHOW server_version"));
    if (name === "postgres-18") expect(version).toMatch(/^18\./);
  });
});
