// The rights of the README, given to real roles by the statements that stand there.
import { readFile } from "node:fs/promises";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { anEntryJob, callEveryMethod } from "./call-every-method.ts";
import { servers } from "./fixtures.ts";

const readme = new URL("../README.md", import.meta.url);
const types = [{ typeName: "every", leaseMs: 60_000, limit: 10 }];

describe.each(servers)("%s", (_, databases) => {
  const pools: pg.Pool[] = [];
  let url = "";
  let name = "";
  let admin: pg.Pool;

  const open = async (role: string) => {
    const asRole = new URL(url);
    if (role !== "") asRole.username = `${name}_${role}`;
    const pool = new pg.Pool({ connectionString: asRole.href, max: 3 });
    pools.push(pool);
    const adapter = await createPgStateAdapter({
      stateProvider: createPgPoolStateProvider(pool),
      connectionRetryConfig: { maxRetries: 0 },
    });
    return { pool, adapter };
  };

  /** The SQL block of the README that begins with this line, with names of this database. */
  const statementsOfReadme = async (firstLine: string): Promise<string> => {
    const text = await readFile(readme, "utf8");
    const block = [...text.matchAll(/```sql\n([\s\S]*?)```/g)]
      .map(([, sql = ""]) => sql)
      .find((sql) => sql.startsWith(firstLine));
    if (block === undefined) throw new Error(`The README has no SQL block "${firstLine}"`);
    return block
      .replace(/\bapp_(\w+)\b/g, `${name}_$1`)
      .replace(/\bDATABASE app\b/g, `DATABASE ${name}`);
  };

  beforeAll(async () => {
    const database = await databases().createDatabase();
    ({ url, name } = database);
    admin = new pg.Pool({ connectionString: url, max: 2 });
    pools.push(admin);
    await admin.query(
      ["migrator", "worker", "reader", "stranger"]
        .map((role) => `CREATE ROLE ${name}_${role} LOGIN`)
        .join(";"),
    );
    await admin.query(await statementsOfReadme("-- before the first migration"));
    const { adapter, pool } = await open("migrator");
    await adapter.migrateToLatest();
    await pool.query(await statementsOfReadme("-- after the first migration"));
  });
  afterAll(() => Promise.all(pools.map((pool) => pool.end())));

  it("the worker's role does all that an adapter does, and finds nothing to migrate", async () => {
    const { adapter } = await open("worker");
    await callEveryMethod(adapter);
    expect(await adapter.migrateToLatest()).toEqual([]);
  });

  it("the worker's role cannot change the schema", async () => {
    const { pool } = await open("worker");
    for (const sql of [
      "ALTER TABLE queuert.job ADD extra text",
      "CREATE TABLE queuert.other (id integer)",
      "DROP FUNCTION queuert.get_jobs",
    ]) {
      await expect(pool.query(sql)).rejects.toMatchObject({ code: "42501" });
    }
  });

  it("the reader's role lists and counts, and changes nothing", async () => {
    const { adapter } = await open("reader");
    await adapter.listJobs({
      order: "asc",
      limit: 1,
      afterOrdinal: null,
      ...noFilter,
      sequenceId: null,
    });
    await adapter.listSequences({ order: "asc", limit: 1, afterOrdinal: null, ...noFilter });
    await adapter.summarize({ runningLongMs: 1_000 });
    const denied = { code: "QUEUERT_PG_PERMISSION_DENIED", schema: "queuert" };
    await expect(adapter.createJobs({ jobs: [anEntryJob()] })).rejects.toMatchObject(denied);
  });

  it("a role without rights gets the error of missing rights", async () => {
    const { adapter } = await open("stranger");
    await expect(adapter.acquireJobs({ workerId: "w", limit: 1, types })).rejects.toMatchObject({
      code: "QUEUERT_PG_PERMISSION_DENIED",
    });
  });

  it("row-level security is an error of every method, not an empty queue", async () => {
    const { adapter } = await open("worker");
    const [created] = await adapter.createJobs({ jobs: [anEntryJob()] });
    const id = created?.job.id ?? "";
    await admin.query(
      "ALTER TABLE queuert.job ENABLE ROW LEVEL SECURITY; ALTER TABLE queuert.lease ENABLE ROW LEVEL SECURITY",
    );
    const refused = { code: "QUEUERT_PG_ROW_SECURITY", schema: "queuert" };
    const calls = [
      () => adapter.createJobs({ jobs: [anEntryJob()] }),
      () => adapter.acquireJobs({ workerId: "w", limit: 1, types }),
      () => adapter.getJobs({ ids: [id] }),
      () => adapter.renewLeases({ leases: [{ jobId: id, leaseVersion: 1, leaseMs: 1_000 }] }),
      () => adapter.reclaimExpiredLeases({ limit: 1 }),
      () => adapter.triggerJobs({ ids: [id] }),
      () => adapter.summarize({ runningLongMs: 1_000 }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(refused);
    await admin.query(
      "ALTER TABLE queuert.job DISABLE ROW LEVEL SECURITY; ALTER TABLE queuert.lease DISABLE ROW LEVEL SECURITY",
    );
    expect((await adapter.acquireJobs({ workerId: "w", limit: 1, types })).jobs).toHaveLength(1);
  });

  it("default_transaction_read_only is an error with the remedy", async () => {
    const { adapter: writer } = await open("worker");
    await writer.createJobs({ jobs: [anEntryJob()] });
    await admin.query(`ALTER ROLE ${name}_worker SET default_transaction_read_only = on`);
    const { adapter } = await open("worker");
    const refused = {
      code: "QUEUERT_PG_READ_ONLY",
      message: expect.stringContaining("default_transaction_read_only"),
    };
    const calls = [
      () => adapter.createJobs({ jobs: [anEntryJob()] }),
      () => adapter.acquireJobs({ workerId: "w", limit: 1, types }),
      () => adapter.reclaimExpiredLeases({ limit: 1 }),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(refused);
    await admin.query(`ALTER ROLE ${name}_worker RESET default_transaction_read_only`);
  });
});

const noFilter = {
  typeNames: null,
  statuses: null,
  rootSequenceId: null,
  createdFrom: null,
  createdTo: null,
};
