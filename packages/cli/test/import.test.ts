// Jobs of the real libraries, in their own tables, moved by the program.
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { MongoBackend } from "@agendajs/mongo-backend";
import { providedRedis } from "@queuert/test-services/provided";
import { Agenda } from "agenda";
import type * as Bull from "bullmq";
import { makeWorkerUtils } from "graphile-worker";
import { MongoClient } from "mongodb";
import { Pool } from "pg";
import { expect, it, onTestFinished } from "vitest";
import { createProject, type Project } from "./project.ts";
import { createStore, type StoreKind } from "./stores.ts";

// Vite would give it the modules of OpenTelemetry for bundlers, which Node cannot load.
const { Queue } = createRequire(import.meta.url)("bullmq") as typeof Bull;

/** In a process of its own, for the same reason. */
const seedFile = fileURLToPath(new URL("./seed-pg-boss.mjs", import.meta.url));

const seedPgBoss = (url: string, at: Date): void => {
  const args = [seedFile, url, at.toISOString()];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
};

const configOf = (url: string, library: string): string => `
import { defineUnionJobTypes } from "queuert";
const input = {
  "~standard": {
    version: 1,
    vendor: "test",
    validate: (value) => value?.to === undefined
      ? { issues: [{ message: "Required", path: ["to"] }] }
      : { value },
  },
};
export default {
  url: ${JSON.stringify(url)},
  jobTypeDefinitions: defineUnionJobTypes({ "email.send": { entry: true, input }, greet: { entry: true } }),
  import: {
    map: {
      "send-mail": (job) => ({ typeName: "email.send", input: job.data }),
      ignored: () => null,
    },
  },
};
// ${library}
`;

const open = async (kind: StoreKind, library: string) => {
  const project: Project = createProject();
  const store = await createStore(kind, project.folder);
  const client = await store.open();
  project.write("queuert.config.mjs", configOf(store.url, library));
  const run = (...args: string[]) => project.queuert(["import", library, ...args]);
  return { url: store.url, client, run };
};

const inAnHour = (): Date => new Date(Date.now() + 3_600_000);

const dryRun = `greet: 1 of 1 would be moved
ignored: 0 of 1 would be moved
  1 left: its entry in \`import.map\` returns null
other: 0 of 1 would be moved
  1 left: no entry in \`import.map\` of the config, and no job type of this name
send-mail: 2 of 3 would be moved
  1 left: its input is refused: to Required
`;

/** The dry run, the import, and a second one. Returns the jobs of the store, by type and priority. */
const importAll = async (
  { client, run }: Awaited<ReturnType<typeof open>>,
  ...args: readonly string[]
) => {
  const planned = await run(...args);
  expect(planned.stderr).toBe("nothing was written; move the jobs with --yes\n");
  expect(planned).toMatchObject({ exitCode: 4, stdout: dryRun });
  expect((await client.listJobs()).items).toEqual([]);
  const moved = await run("--yes", ...args);
  expect(moved).toMatchObject({ exitCode: 4, stderr: "" });
  expect(moved.stdout).toBe(dryRun.replaceAll("would be moved", "moved"));
  const again = await run("--yes", "--json", ...args);
  expect(JSON.parse(again.stdout)).toMatchObject({
    types: [{ name: "ignored" }, { name: "other" }, { name: "send-mail", count: 1, moved: 0 }],
  });
  const { items } = await client.listJobs({ order: "asc" });
  return [...items].sort((a, b) =>
    a.typeName === b.typeName ? b.priority - a.priority : a.typeName < b.typeName ? -1 : 1,
  );
};

it("moves jobs of pg-boss within one transaction of PostgreSQL", async () => {
  const opened = await open("postgres", "pg-boss");
  const at = inAnHour();
  seedPgBoss(opened.url, at);
  const [ada, bob, greet] = await importAll(opened);
  expect([ada, bob, greet]).toMatchObject([
    { typeName: "email.send", input: { to: "ada" }, priority: 7, deduplicationKey: "k" },
    { typeName: "email.send", input: { to: "bob" }, priority: 0, deduplicationKey: null },
    { typeName: "greet", input: { name: "x" } },
  ]);
  expect(ada?.scheduledAt).toEqual(at);
  const pool = new Pool({ connectionString: opened.url });
  onTestFinished(() => pool.end());
  const { rows } = await pool.query("SELECT name FROM pgboss.job ORDER BY name");
  expect(rows.map(({ name }: { name: string }) => name)).toEqual([
    ...["active", "ignored", "other", "send-mail"],
  ]);
});

it("moves jobs of graphile-worker within one transaction of PostgreSQL", async () => {
  const opened = await open("postgres", "graphile-worker");
  const worker = await makeWorkerUtils({ connectionString: opened.url });
  await worker.migrate();
  const at = inAnHour();
  await worker.addJob("send-mail", { to: "ada" }, { priority: -7, runAt: at, jobKey: "k" });
  await worker.addJob("send-mail", { to: "bob" });
  await worker.addJob("send-mail", { cc: "eve" });
  await worker.addJob("greet", { name: "x" });
  await worker.addJob("other", {});
  await worker.addJob("ignored", {});
  await worker.release();
  const [ada, bob, greet] = await importAll(opened);
  expect([ada, bob, greet]).toMatchObject([
    { typeName: "email.send", input: { to: "ada" }, priority: 7, deduplicationKey: "k" },
    { typeName: "email.send", input: { to: "bob" }, priority: 0 },
    { typeName: "greet", input: { name: "x" } },
  ]);
  expect(ada?.scheduledAt).toEqual(at);
});

it("moves jobs of Agenda within one transaction of MongoDB", async () => {
  const opened = await open("mongodb", "agenda");
  const mongo = new MongoClient(opened.url);
  onTestFinished(() => mongo.close());
  const agenda = new Agenda({ backend: new MongoBackend({ mongo: mongo.db() }) });
  await agenda.ready;
  const at = inAnHour();
  await agenda.create("send-mail", { to: "ada" }).priority(7).schedule(at).save();
  await agenda.now("send-mail", { to: "bob" });
  await agenda.now("send-mail", { cc: "eve" });
  await agenda.now("greet", { name: "x" });
  await agenda.now("other", {});
  await agenda.now("ignored", {});
  await agenda.every("1 day", "daily", {});
  await agenda.stop();
  const [ada, bob, greet] = await importAll(opened);
  expect([ada, bob, greet]).toMatchObject([
    { typeName: "email.send", input: { to: "ada" }, priority: 7 },
    { typeName: "email.send", input: { to: "bob" } },
    { typeName: "greet", input: { name: "x" } },
  ]);
  expect(ada?.scheduledAt).toEqual(at);
});

it("moves jobs of BullMQ, and finds those that a crash has left by their keys", async () => {
  const opened = await open("sqlite", "bullmq");
  const { url } = providedRedis();
  const prefix = `bull-${Date.now()}`;
  const queue = new Queue("mails", { connection: { url }, prefix });
  onTestFinished(() => queue.close());
  const at = inAnHour();
  const delay = at.getTime() - Date.now();
  const first = await queue.add("send-mail", { to: "ada" }, { delay });
  await queue.add("send-mail", { to: "bob" }, { priority: 3 });
  await queue.add("send-mail", { cc: "eve" });
  await queue.add("greet", { name: "x" });
  await queue.add("other", {});
  await queue.add("ignored", {});
  // A crash after the start and before the removal.
  await opened.client.startJobSequence({
    ...({ typeName: "email.send", input: { to: "ada" } } as never as {
      typeName: "greet";
      input: never;
    }),
    deduplication: { key: `import bullmq ${first.id}` },
    autocommit: true,
    schedule: { at },
  });
  const args = ["--from", url, "--queue", "mails", "--place", prefix];
  const planned = await opened.run(...args);
  expect(planned.stdout.split("\n").sort()).toEqual(dryRun.split("\n").sort());
  expect(await queue.isPaused()).toBe(false);
  const moved = await opened.run("--yes", ...args);
  expect(moved).toMatchObject({ exitCode: 4, stderr: "" });
  expect(await queue.isPaused()).toBe(true);
  const { items } = await opened.client.listJobs();
  expect(items).toHaveLength(3);
  expect(items.find(({ input }) => (input as { to?: string }).to === "bob")).toMatchObject({
    typeName: "email.send",
    priority: -3,
  });
  expect(await queue.getJobCountByTypes("waiting", "delayed", "prioritized")).toBe(3);
});

it("refuses a library, a store and an address that do not fit", async () => {
  const { run } = await open("sqlite", "sidekiq");
  expect(await run()).toMatchObject({ exitCode: 2 });
  const { run: runBoss } = await open("sqlite", "pg-boss");
  const wrongStore = await runBoss();
  expect(wrongStore.exitCode).toBe(2);
  expect(wrongStore.stderr).toContain("is imported within one postgres database");
  const { run: runBull } = await open("sqlite", "bullmq");
  expect((await runBull()).stderr).toContain("bullmq needs `--from redis://…`");
});
