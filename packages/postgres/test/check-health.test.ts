import { providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import { createStateSteps } from "queuert/testing";
import type { AnyStateAdapter } from "queuert/internal";
import { expect, it, onTestFinished } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";

const open = async () => {
  const { url } = await providedPostgres().createDatabase();
  const pool = new pg.Pool({ connectionString: url, application_name: "meta" });
  onTestFinished(() => pool.end());
  const postgres = await createPgStateAdapter({ stateProvider: createPgPoolStateProvider(pool) });
  await postgres.migrateToLatest();
  const adapter = postgres as unknown as AnyStateAdapter;
  const check = async (isThorough: boolean, longTransactionMs = 3_600_000) =>
    (await adapter.operator?.checkHealth?.({ longTransactionMs, isThorough })) ?? [];
  return { pool, check, steps: createStateSteps(adapter) };
};

it("names a long transaction by its application and pid", async () => {
  const { pool, check } = await open();
  const client = await pool.connect();
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  await client.query("BEGIN");
  await client.query("SELECT 1");
  const [found] = await check(false, 1);
  await client.query("ROLLBACK");
  client.release();
  expect(found?.level).toBe("warn");
  expect(found?.text).toContain(`"meta" (pid ${rows[0]?.pid}, idle in transaction) has been open`);
});

it("finds waits and rows that nothing ends, if it looks at the whole store", async () => {
  const { pool, check, steps } = await open();
  const blocker = await steps.createOne({ typeName: "blocker" });
  const gone = await steps.createOne({ typeName: "gone" });
  await steps.createBlocked([blocker]);
  await pool.query("DELETE FROM queuert.job WHERE id::text = ANY($1)", [[blocker.id, gone.id]]);
  expect(await check(false)).toEqual([]);
  const texts = (await check(true)).map(({ level, text }) => `${level} ${text}`);
  expect(texts).toEqual([
    expect.stringContaining("fail 1 waits of blocked jobs are for a sequence that does not exist"),
    expect.stringContaining('fail 2 rows of "ready" have no job'),
  ]);
});

it("says which sessions it may not see", async () => {
  const { pool, check } = await open();
  const role = `reader_${process.pid}_${Date.now()}`;
  await pool.query(`CREATE ROLE ${role}`);
  const client = await pool.connect();
  await client.query("BEGIN");
  await pool.query(`GRANT USAGE ON SCHEMA queuert TO ${role}`);
  const other = new pg.Pool({ ...pool.options, max: 1 });
  other.on("connect", (connected) => void connected.query(`SET ROLE ${role}`));
  onTestFinished(() => other.end());
  const limited = await createPgStateAdapter({ stateProvider: createPgPoolStateProvider(other) });
  const found = await limited.operator?.checkHealth?.({
    ...{ longTransactionMs: 1, isThorough: false },
  });
  await client.query("ROLLBACK");
  client.release();
  expect(found?.map(({ level }) => level)).toContain("note");
  expect(found?.some(({ text }) => text.includes("pg_read_all_stats"))).toBe(true);
  expect(await check(false)).toEqual([]);
  await pool.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
});
