import pg from "pg";
import { expect, it } from "vitest";
import { startPostgresPair } from "../src/postgres-pair.ts";
import { closing } from "./closing.ts";

const query = async (url: string, text: string): Promise<readonly unknown[]> => {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => {});
  await client.connect();
  try {
    const { rows } = await client.query<{ value: unknown }>(text);
    return rows.map(({ value }) => value);
  } finally {
    await client.end();
  }
};

it("keeps every acknowledged commit over a failover, twice", async () => {
  await using pair = await closing(startPostgresPair(true));
  const { url } = await pair.createDatabase();
  await query(url, "CREATE TABLE kept (value int)");
  for (const value of [1, 2]) {
    await query(url, `INSERT INTO kept VALUES (${value})`);
    await pair.failOver();
  }
  expect(await query(url, "SELECT value FROM kept ORDER BY value")).toEqual([1, 2]);
}, 120_000);

it("brings back older data from a detached standby", async () => {
  await using pair = await closing(startPostgresPair(false));
  const { url } = await pair.createDatabase();
  await query(url, "CREATE TABLE kept (value int)");
  await query(url, "INSERT INTO kept VALUES (1)");
  await pair.detach();
  await query(url, "INSERT INTO kept VALUES (2)");
  await pair.failOver();
  expect(await query(url, "SELECT value FROM kept ORDER BY value")).toEqual([1]);
}, 120_000);
