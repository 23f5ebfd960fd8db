import type * as Adapters from "@queuert/mongodb";
import type * as Providers from "@queuert/mongodb/mongodb";
import type { MigrationReport, MongoStateAdapter } from "@queuert/mongodb";
import type { MongoClient, MongoClientOptions } from "mongodb";
import { loadDriver, loadPackage } from "./load-package.ts";
import type { OpenOptions, OpenStore, SchemaFinding, StoreSchema } from "./store.ts";

export const openMongodb = async (options: OpenOptions): Promise<OpenStore> => {
  const { url, folder, prefix, timeoutMs } = options;
  const { createMongoStateAdapter } = await loadPackage<typeof Adapters>(
    folder,
    "@queuert/mongodb",
  );
  const { createMongodbProvider } = await loadPackage<typeof Providers>(
    folder,
    "@queuert/mongodb/mongodb",
  );
  const { driver } = await loadDriver(folder, ["mongodb"]);
  const { MongoClient: Client } = driver as {
    readonly MongoClient: new (url: string, options: MongoClientOptions) => MongoClient;
  };
  const client = new Client(url, {
    serverSelectionTimeoutMS: timeoutMs,
    maxPoolSize: 2,
    appName: "queuert-cli",
  });
  const close = (): Promise<void> => client.close();
  try {
    const adapter = await createMongoStateAdapter({
      stateProvider: createMongodbProvider({ client }),
      ...(prefix !== undefined && { collectionPrefix: prefix }),
      connectionRetryConfig: { maxRetries: 0 },
    });
    return {
      kind: "mongodb",
      schema: mongodbSchema(adapter),
      openState: async () => adapter,
      openNotify: async () => undefined,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
};

/** The method of a MongoDB adapter, also of one that a config has made. */
export const mongodbSchema = (
  adapter: Pick<MongoStateAdapter<object, object>, "migrateToLatest">,
): StoreSchema => ({
  plan: async () => {
    const { created } = await adapter.migrateToLatest({ dryRun: true });
    return { missing: created, sql: [] };
  },
  migrate: async () => (await adapter.migrateToLatest()).created,
  check: async () => {
    try {
      return findingsOf(await adapter.migrateToLatest({ dryRun: true }));
    } catch (error) {
      const { code, message } = error as { readonly code?: unknown; readonly message: string };
      if (code === "QUEUERT_MONGODB_INDEX_DRIFT") return [{ level: "fail", text: message }];
      throw error;
    }
  },
});

const findingsOf = ({ created, foreign }: MigrationReport): SchemaFinding[] => [
  ...created.map((name): SchemaFinding => ({
    level: "fail",
    text: `${name} is missing: run \`queuert migrate\``,
  })),
  ...foreign.map((name): SchemaFinding => ({
    level: "warn",
    text: `index ${name} is not Queuert's: it slows writes down`,
  })),
];
