import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Pool } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { createProject } from "./project.ts";
import { createStore, Driver } from "./stores.ts";

it("names a transaction that stays open, with its application and pid", async () => {
  const project = createProject();
  const { url } = await createStore("postgres", project.folder);
  const run = (...args: string[]) => project.queuert(["--url", url, ...args]);
  await run("migrate");
  expect((await run("doctor")).stdout).toContain("ok    server  nothing to report");
  const pool = new Pool({ connectionString: url, application_name: "meta\u001bbase" });
  onTestFinished(() => pool.end());
  const client = await pool.connect();
  const { rows } = await client
    .query<{ pid: number }>("BEGIN; SELECT pg_backend_pid() AS pid")
    // Two statements have two results.
    .then((results) => (results as unknown as { rows: { pid: number }[] }[])[1] ?? { rows: [] });
  const { stdout, exitCode } = await run("doctor", "--long", "1ms");
  await client.query("ROLLBACK");
  client.release();
  expect(exitCode).toBe(6);
  expect(stdout).toContain(`(pid ${rows[0]?.pid}, idle in transaction) has been open for`);
});

it("names indexes and tables that were changed", async () => {
  const project = createProject();
  const { url } = await createStore("postgres", project.folder);
  const run = (...args: string[]) => project.queuert(["--url", url, ...args]);
  await run("migrate");
  const pool = new Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  await pool.query("CREATE TABLE queuert.mine (id int)");
  const { stdout, exitCode } = await run("doctor");
  expect(exitCode).toBe(6);
  expect(stdout).toMatch(/^warn {2}schema {2}not ours: .*mine/m);
});

it("finds a damaged SQLite file", async () => {
  const project = createProject();
  const store = await createStore("sqlite", project.folder);
  const client = await store.open();
  const many = Array.from({ length: 500 }, (_, index) => ({
    typeName: "greet" as const,
    input: { name: `name ${index} ${"x".repeat(200)}` },
  }));
  await client.startJobSequences({ sequences: many, autocommit: true });
  const database = new Driver(join(project.folder, "app.db"));
  // Out of the log, into the file.
  database.pragma("wal_checkpoint(TRUNCATE)");
  database.close();
  const file = openSync(join(project.folder, "app.db"), "r+");
  // Behind the first pages, which hold the schema.
  writeSync(file, Buffer.alloc(4_096 * 4, 0x5a), 0, 4_096 * 4, 4_096 * 20);
  closeSync(file);
  const { exitCode, stdout, stderr } = await project.queuert(["--url", store.url, "doctor"]);
  expect(exitCode, stderr).toBe(6);
  expect(stdout).toMatch(/^fail .*damaged/m);
});
