// The guard of writes in transactions that the user has begun: the transaction ends between the question whether it is open and
// the write. The "ORM" is a client of `pg` that knows nothing of transactions.
import { providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { aJob, aKey } from "queuert/testing";
import { createPgStateAdapter } from "../../src/index.ts";
import { createOrmProvider } from "../../src/orms/orm-provider.ts";
import { lazyDatabaseUrl } from "../fixtures.ts";

const url = lazyDatabaseUrl(providedPostgres);
// A schema with `$1` in its name, which is no parameter.
const schema = 'or"ms $1';
const refusal = { code: "QUEUERT_NOT_IN_TRANSACTION" };

interface Transaction {
  readonly client: pg.ClientBase;
}

let pool: pg.Pool;
let client: pg.PoolClient;
let adapter: Awaited<ReturnType<typeof openAdapter>>;

const openAdapter = () =>
  createPgStateAdapter({
    schema,
    stateProvider: createOrmProvider<"db", pg.Pool, Transaction>({
      key: "db",
      database: pool,
      connectionsMax: undefined,
      transaction: async (callback) => {
        const own = await pool.connect();
        try {
          await own.query("BEGIN");
          const result = await callback({ client: own });
          await own.query("COMMIT");
          return result;
        } finally {
          own.release();
        }
      },
      send: async (on, { sql, params }) => {
        const { rows } = await ("client" in on ? on.client : on).query(sql, [...params]);
        return rows as Record<string, unknown>[];
      },
      isTransaction: (on): on is Transaction =>
        typeof on === "object" && on !== null && "client" in on,
      isEndedError: () => false,
    }),
  });

beforeAll(async () => {
  pool = new pg.Pool({ connectionString: await url(), max: 3 });
  adapter = await openAdapter();
  await adapter.migrateToLatest();
});
afterAll(() => pool.end());
beforeEach(async () => {
  client = await pool.connect();
  await client.query(
    ["job", "ready", "lease"]
      .map((table) => `TRUNCATE ${pg.escapeIdentifier(schema)}.${table}`)
      .join(";"),
  );
  return () => client.release();
});

const count = async (): Promise<number> => {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${pg.escapeIdentifier(schema)}.job`,
  );
  return rows[0]?.count ?? -1;
};
const create = (db: Transaction, count = 1): Promise<unknown> =>
  adapter.createJobs({ context: { db }, jobs: Array.from({ length: count }, () => aJob()) });

const id = "01900000-0000-7000-8000-000000000000";
const lost = { jobId: id, leaseVersion: 1 };

/** Each statement that writes or locks with a context. */
const writes: readonly (readonly [string, (db: Transaction) => Promise<unknown>])[] = [
  ["one job", (db) => create(db)],
  ["many jobs", (db) => create(db, 3)],
  [
    "a job with a key",
    (db) => adapter.createJobs({ context: { db }, jobs: [aJob({ deduplication: aKey("k") })] }),
  ],
  [
    "addBlockers",
    (db) =>
      adapter.addBlockers({ context: { db }, jobs: [{ jobId: id, blockerSequenceIds: [id] }] }),
  ],
  [
    "completeJobs",
    (db) => {
      const completions = [{ ...lost, outcome: { kind: "output", output: "1" } as const }];
      return adapter.completeJobs({ context: { db }, workerId: "w", completions });
    },
  ],
  [
    "rescheduleJobs",
    (db) => {
      const jobs = [{ ...lost, schedule: null, error: null, countsAttempt: true }];
      return adapter.rescheduleJobs({ context: { db }, jobs });
    },
  ],
  ["failJobs", (db) => adapter.failJobs({ context: { db }, jobs: [{ ...lost, error: "x" }] })],
  ["retryFailedJobs", (db) => adapter.retryFailedJobs({ context: { db }, ids: [id] })],
  [
    "updateJobs",
    (db) => {
      const none = { input: null, schedule: null, dueWithinMs: null };
      return adapter.updateJobs({ context: { db }, jobs: [{ id, priority: 1, ...none }] });
    },
  ],
  ["triggerJobs", (db) => adapter.triggerJobs({ context: { db }, ids: [id] })],
  ["lockSequences", (db) => adapter.lockSequences({ context: { db }, ids: [id] })],
  ["deleteSequences", (db) => adapter.deleteSequences({ context: { db }, rootSequenceIds: [id] })],
];

it.each(writes)("a write behind ROLLBACK is refused by the server: %s", async (_, write) => {
  const db = { client };
  await client.query("BEGIN");
  expect(await adapter.isInTransaction({ db })).toBe(true);
  const ended = client.query("ROLLBACK");
  await expect(write(db)).rejects.toMatchObject(refusal);
  await ended;
  expect(await count()).toBe(0);
});

it.each(writes)("a write behind ROLLBACK and the next BEGIN is refused: %s", async (_, write) => {
  const db = { client };
  await client.query("BEGIN");
  expect(await adapter.isInTransaction({ db })).toBe(true);
  const ended = Promise.all([client.query("ROLLBACK"), client.query("BEGIN")]);
  await expect(write(db)).rejects.toMatchObject(refusal);
  await ended;
  await client.query("COMMIT");
  expect(await count()).toBe(0);
});

it("a kept transaction is known as ended while its connection is in the next one", async () => {
  const db = { client };
  await client.query("BEGIN");
  await create(db);
  await client.query("COMMIT");
  expect(await adapter.isInTransaction({ db })).toBe(false);
  await client.query("BEGIN");
  expect(await adapter.isInTransaction({ db })).toBe(false);
  // Asking does not harm the transaction of the other caller.
  await create({ client });
  await client.query("COMMIT");
  expect(await count()).toBe(2);
});

it("in a failed transaction the error of the server is the reason", async () => {
  const db = { client };
  await client.query("BEGIN");
  await expect(client.query("SELECT * FROM no_such_table")).rejects.toThrow("no_such_table");
  expect(await adapter.isInTransaction({ db })).toBe(true);
  await expect(create(db)).rejects.toMatchObject({ code: "25P02" });
  await client.query("ROLLBACK");
});
