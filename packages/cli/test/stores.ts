// The three stores, each with an address for the program and a client of the tests' own.
import { join } from "node:path";
import { createMongoStateAdapter } from "@queuert/mongodb";
import { createMongodbProvider } from "@queuert/mongodb/mongodb";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import { createSqliteStateAdapter } from "@queuert/sqlite";
import { createBetterSqlite3Provider } from "@queuert/sqlite/better-sqlite3";
import { providedMongodb, providedPostgres } from "@queuert/test-services/provided";
import BetterSqlite3 from "better-sqlite3";
import { createRequire } from "node:module";
import { MongoClient } from "mongodb";
import { Pool } from "pg";
import {
  createQueuert,
  type DefineBlocker,
  defineUnionJobTypes,
  UnrecoverableJobError,
} from "queuert";
import { onTestFinished } from "vitest";
import type { ConfiguredStateAdapter } from "../src/config/define-config.ts";

export const storeKinds = ["sqlite", "postgres", "mongodb"] as const;
export type StoreKind = (typeof storeKinds)[number];

export const jobTypes = defineUnionJobTypes<{
  greet: { input: { name: string; password?: string }; output: string };
  charge: { input: { order: string }; output: string };
  ship: {
    input: { order: string };
    output: string;
    blockers: [DefineBlocker<"charge">];
  };
}>();

export interface TestStore {
  readonly kind: StoreKind;
  readonly url: string;
  /** Opens a client on the migrated store. */
  open(): Promise<TestClient>;
  /** Acquires a job for so many milliseconds, as a worker that then vanishes. After `open`. */
  acquire(typeName: string, leaseMs: number): Promise<void>;
}

export type TestClient = Awaited<ReturnType<typeof openClient>>;

const openClient = (stateAdapter: ConfiguredStateAdapter) =>
  createQueuert({ stateAdapter, jobTypeDefinitions: jobTypes, log: () => undefined });

type Opening = Pick<TestStore, "kind" | "url"> & {
  readonly adapter: () => Promise<ConfiguredStateAdapter>;
};

const withAdapter = ({ kind, url, adapter }: Opening): TestStore => {
  let opened: ConfiguredStateAdapter | undefined;
  return {
    ...{ kind, url },
    open: async () => {
      opened = await adapter();
      return openClient(opened);
    },
    acquire: async (typeName, leaseMs) => {
      const types = [{ typeName, leaseMs, limit: 1 }];
      await opened?.acquireJobs({ workerId: "vanished", limit: 1, types });
    },
  };
};

/** An empty place: a file that does not exist, or a new database. */
export const createStore = async (kind: StoreKind, folder: string): Promise<TestStore> => {
  switch (kind) {
    case "sqlite":
      return sqliteStore(join(folder, "app.db"));
    case "postgres": {
      const database = await providedPostgres().createDatabase();
      onTestFinished(() => database.drop());
      return postgresStore(database.url);
    }
    case "mongodb": {
      const database = await providedMongodb().createDatabase();
      onTestFinished(() => database.drop());
      return mongodbStore(database.url);
    }
  }
};

const isNode20 = process.versions.node.startsWith("20.");
export const Driver: typeof BetterSqlite3 = isNode20
  ? BetterSqlite3
  : (createRequire(import.meta.url)("better-sqlite3-node22") as typeof BetterSqlite3);

const sqliteStore = (filename: string): TestStore =>
  withAdapter({
    kind: "sqlite",
    url: "sqlite:app.db",
    adapter: async () => {
      const stateProvider = await createBetterSqlite3Provider({ filename, driver: Driver });
      onTestFinished(() => stateProvider.close());
      return createSqliteStateAdapter({ stateProvider });
    },
  });

const postgresStore = (url: string): TestStore =>
  withAdapter({
    kind: "postgres",
    url,
    adapter: async () => {
      const pool = new Pool({ connectionString: url });
      onTestFinished(() => pool.end());
      const stateProvider = createPgPoolStateProvider(pool);
      const stateAdapter = await createPgStateAdapter({ stateProvider });
      await stateAdapter.migrateToLatest();
      return stateAdapter;
    },
  });

const mongodbStore = (url: string): TestStore =>
  withAdapter({
    kind: "mongodb",
    url,
    adapter: async () => {
      const client = new MongoClient(url);
      onTestFinished(() => client.close());
      const stateProvider = createMongodbProvider({ client });
      const stateAdapter: ConfiguredStateAdapter & {
        migrateToLatest?: () => Promise<unknown>;
      } = await createMongoStateAdapter({ stateProvider });
      await stateAdapter.migrateToLatest?.();
      return stateAdapter;
    },
  });

export interface Seeded {
  readonly client: TestClient;
  readonly dueId: string;
  readonly laterId: string;
  readonly failedId: string;
  readonly blockedId: string;
  readonly completedId: string;
}

/** A job in each status: due, later, failed, blocked by the failed one, completed. */
export const seed = async (store: TestStore): Promise<Seeded> => {
  const client = await store.open();
  const start = (name: string) =>
    client.startJobSequence({ typeName: "greet", input: { name }, autocommit: true });
  const completed = await start("Grace");
  const { failed, blocked } = await client.transaction(async (context) => {
    let failed = "";
    const blocked = await client.startJobSequence({
      ...context,
      typeName: "ship",
      input: { order: "A-17" },
      startBlockers: async ({ job: _job, ...own }) => {
        const charge = await client.startJobSequence({
          ...own,
          typeName: "charge",
          input: { order: "A-17" },
        });
        failed = charge.id;
        return [charge];
      },
    });
    return { failed, blocked: blocked.id };
  });
  await runUntilFinished(client, [completed.id, failed]);
  const due = await start("Ada");
  const later = await client.startJobSequence({
    typeName: "greet",
    input: { name: "Alan", password: "hunter2" },
    schedule: { afterMs: 3 * 86_400_000 },
    autocommit: true,
  });
  return {
    client,
    dueId: due.id,
    laterId: later.id,
    failedId: failed,
    blockedId: blocked,
    completedId: completed.id,
  };
};

/** Runs a worker until these jobs have ended: `greet` completes, `charge` fails. */
export const runUntilFinished = async (
  client: TestClient,
  ids: readonly string[],
): Promise<void> => {
  const worker = await client
    .createWorker()
    .implementJobType({
      typeName: "greet",
      process: ({ job, complete }) => complete(`Hello ${job.input.name}`),
    })
    .implementJobType({
      typeName: "charge",
      process: () => {
        throw new UnrecoverableJobError("the bank does not answer");
      },
    })
    .start();
  for (const id of ids) {
    for (;;) {
      const job = await client.getJob({ id });
      if (job?.status === "completed" || job?.status === "failed") break;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  await worker.stop();
};
