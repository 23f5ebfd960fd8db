// From a config to a store: by its address, or by the functions of the config.
import type { ConfiguredStateAdapter } from "../config/define-config.ts";
import type { ResolvedConfig } from "../config/resolve-config.ts";
import { CliUsageError } from "../errors.ts";
import { mongodbSchema, openMongodb } from "./open-mongodb.ts";
import { openPostgres, postgresSchema } from "./open-postgres.ts";
import { openSqlite } from "./open-sqlite.ts";
import type { OpenOptions, OpenStore } from "./store.ts";

const openers: Readonly<Record<string, (options: OpenOptions) => Promise<OpenStore>>> = {
  "postgres:": openPostgres,
  "postgresql:": openPostgres,
  "sqlite:": openSqlite,
  "mongodb:": openMongodb,
  "mongodb+srv:": openMongodb,
};

export const openStore = async (config: ResolvedConfig, timeoutMs: number): Promise<OpenStore> => {
  const { url, schema, prefix, idType, folder } = config;
  if (url === undefined) return openConfigured(config);
  const protocol = /^[a-z+]+:/.exec(url)?.[0] ?? "";
  const open = openers[protocol];
  if (open === undefined) {
    // Not the address itself, which may hold a password.
    throw new CliUsageError(
      `The address of ${config.origin} begins with "${protocol}". Give postgres://…, mongodb://… or sqlite:app.db.`,
    );
  }
  // The driver gives up first: its error says more than that of the command.
  const connectMs = Math.ceil(timeoutMs * 0.8);
  const opened = await open({ url, folder, schema, prefix, idType, timeoutMs: connectMs });
  return {
    ...opened,
    openNotify: async () => config.notifyAdapter?.(),
    close: async () => {
      await opened.close();
      await config.close?.();
    },
  };
};

const openConfigured = async (config: ResolvedConfig): Promise<OpenStore> => {
  const { stateAdapter, notifyAdapter, close } = config;
  if (stateAdapter === undefined) throw new CliUsageError(`${config.origin} names no store.`);
  const adapter = await stateAdapter();
  if (typeof (adapter as Partial<ConfiguredStateAdapter> | null)?.createJobs !== "function") {
    throw new CliUsageError(`\`stateAdapter\` of ${config.origin} did not return a state adapter.`);
  }
  return {
    ...ofAdapter(adapter),
    openState: async () => adapter,
    openNotify: async () => notifyAdapter?.(),
    close: async () => close?.(),
  };
};

/** The kinds are known by the methods that manage their schemas. */
const ofAdapter = (adapter: ConfiguredStateAdapter): Pick<OpenStore, "kind" | "schema"> => {
  const methods = adapter as Partial<
    Parameters<typeof postgresSchema>[0] & Parameters<typeof mongodbSchema>[0]
  >;
  const { migrateToLatest, planMigrations, checkSchema } = methods;
  if (migrateToLatest !== undefined && planMigrations !== undefined && checkSchema !== undefined) {
    return {
      kind: "postgres",
      schema: postgresSchema({ migrateToLatest, planMigrations, checkSchema }),
    };
  }
  if (migrateToLatest !== undefined) {
    return { kind: "mongodb", schema: mongodbSchema({ migrateToLatest }) };
  }
  return { kind: "custom", schema: undefined };
};
