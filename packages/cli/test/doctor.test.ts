import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { MongoClient } from "mongodb";
import { Pool } from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { createProject } from "./project.ts";
import { createStore, Driver, storeKinds } from "./stores.ts";

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

it("checks the indexes and the servers of MongoDB", async () => {
  const project = createProject();
  const store = await createStore("mongodb", project.folder);
  const { url } = store;
  const run = () => project.queuert(["--url", url, "doctor"]);
  const empty = await run();
  expect(empty.exitCode).toBe(6);
  expect(empty.stdout).toContain("fail  schema  queuert_jobs is missing: run `queuert migrate`");
  await store.open();
  const well = await run();
  expect(well.stdout).toBe(
    [
      "ok    store   mongodb can be reached",
      "ok    schema  is as the installed adapter expects",
      "ok    server  nothing to report",
      "ok    jobs    none needs attention\n",
    ].join("\n"),
  );
  expect(well.exitCode).toBe(0);
  const client = new MongoClient(url, { appName: "report" });
  onTestFinished(() => client.close());
  const jobs = client.db().collection("queuert_jobs");
  await jobs.dropIndex("due");
  await jobs.createIndex({ mine: 1 }, { name: "mine" });
  const { stdout, exitCode } = await run();
  expect(exitCode).toBe(6);
  expect(stdout).toContain("fail  schema  queuert_jobs.due is missing: run `queuert migrate`");
  expect(stdout).toContain("warn  schema  index queuert_jobs.mine is not Queuert's");
  await project.queuert(["--url", url, "migrate"]);
  const session = client.startSession();
  session.startTransaction();
  await client.db().collection("others").insertOne({}, { session });
  const long = await project.queuert(["--url", url, "doctor", "--long", "1ms"]);
  await session.abortTransaction();
  await session.endSession();
  expect(long.stdout).toMatch(/^warn {2}server {2}a transaction of "report" .* has been open for/m);
});

describe.each(storeKinds)("doctor --fix on %s", (kind) => {
  it("plans, and applies missing migrations when it is told to", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const run = (...args: string[]) => project.queuert(["--url", store.url, "doctor", ...args]);
    if (kind === "sqlite") await project.queuert(["--url", store.url, "migrate"]);
    const planned = await run("--fix");
    if (kind === "sqlite") {
      expect(planned).toMatchObject({ exitCode: 0, stderr: "nothing that --fix can repair\n" });
      return;
    }
    expect(planned.exitCode, planned.stderr).toBe(5);
    expect(planned.stdout).toMatch(/^would apply missing migrations: /m);
    const again = await run("--fix", "--json");
    expect(again.exitCode).toBe(5);
    expect(JSON.parse(again.stdout)).toMatchObject({
      isWell: false,
      fixes: [{ fix: "migrate", isDone: false }],
    });
    const fixed = await run("--fix", "--yes");
    expect(fixed.exitCode, fixed.stderr).toBe(0);
    expect(fixed.stdout).toMatch(/^done: apply missing migrations[^]*^ok +schema/m);
    expect(await run("--fix")).toMatchObject({ exitCode: 0 });
  });

  it("makes the jobs of a vanished worker due", async () => {
    const project = createProject();
    const store = await createStore(kind, project.folder);
    const client = await store.open();
    const { id } = await client.startJobSequence({
      ...{ typeName: "greet", input: { name: "Ada" }, autocommit: true },
    });
    await store.acquire("greet", 1);
    const run = (...args: string[]) => project.queuert(["--url", store.url, "doctor", ...args]);
    await expect
      .poll(async () => (await run("--fix", "--json")).stdout, { timeout: 20_000 })
      .toContain("release_leases");
    const json = await run("--fix", "--yes", "--json");
    expect(JSON.parse(json.stdout)).toMatchObject({
      fixes: [{ fix: "release_leases", text: expect.stringContaining(": 1"), isDone: true }],
    });
    expect(await client.getJob({ id })).toMatchObject({ status: "pending" });
    project.write("queuert.config.mjs", `export default { url: "${store.url}", readOnly: true };`);
    await store.acquire("greet", 1);
    await expect
      .poll(async () => (await project.queuert(["doctor", "--fix", "--yes"])).stderr, {
        timeout: 20_000,
      })
      .toContain("READ_ONLY");
  });
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
