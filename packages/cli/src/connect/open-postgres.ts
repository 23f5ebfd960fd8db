import type * as Adapters from "@queuert/postgres";
import type * as PgProviders from "@queuert/postgres/pg";
import type * as PostgresJsProviders from "@queuert/postgres/postgres-js";
import type { Pool, PoolConfig } from "pg";
import type { PgStateAdapter, PgStateProvider } from "@queuert/postgres";
import type { Sql } from "postgres";
import { loadDriver, loadPackage } from "./load-package.ts";
import type { OpenOptions, OpenStore, SchemaFinding } from "./store.ts";

// A command is a guest in a database that works. It needs few connections.
const connectionsMax = 2;
const applicationName = "queuert-cli";

export const openPostgres = async (options: OpenOptions): Promise<OpenStore> => {
  const { folder, schema, idType } = options;
  const adapters = await loadPackage<typeof Adapters>(folder, "@queuert/postgres");
  const { provider, close } = await connect(options);
  const adapter = await adapters.createPgStateAdapter({
    stateProvider: provider,
    schema,
    ...(idType !== undefined && { idType }),
  });
  return {
    kind: "postgres",
    schema: postgresSchema(adapter),
    openState: async () => adapter,
    openNotify: async () => undefined,
    close,
  };
};

interface Connection {
  readonly provider: PgStateProvider<object, object>;
  close(): Promise<void>;
}

const connect = async ({ url, folder, timeoutMs }: OpenOptions): Promise<Connection> => {
  const { name, driver } = await loadDriver(folder, ["pg", "postgres"]);
  if (name === "pg") {
    const { createPgPoolStateProvider } = await loadPackage<typeof PgProviders>(
      folder,
      "@queuert/postgres/pg",
    );
    const { Pool: PgPool } = driver as { readonly Pool: new (config: PoolConfig) => Pool };
    const pool = new PgPool({
      connectionString: url,
      max: connectionsMax,
      connectionTimeoutMillis: timeoutMs,
      application_name: applicationName,
    });
    return { provider: createPgPoolStateProvider(pool), close: () => pool.end() };
  }
  const { createPostgresJsStateProvider } = await loadPackage<typeof PostgresJsProviders>(
    folder,
    "@queuert/postgres/postgres-js",
  );
  const sql = (driver as (url: string, options: object) => Sql)(url, {
    max: connectionsMax,
    connect_timeout: Math.ceil(timeoutMs / 1_000),
    connection: { application_name: applicationName },
    onnotice: () => undefined,
  });
  return {
    provider: createPostgresJsStateProvider(sql),
    close: () => sql.end({ timeout: 1 }),
  };
};

/** The methods of a PostgreSQL adapter, also of one that a config has made. */
export const postgresSchema = (
  adapter: Pick<PgStateAdapter<object>, "migrateToLatest" | "planMigrations" | "checkSchema">,
): NonNullable<OpenStore["schema"]> => ({
  plan: async () => {
    const sql = await adapter.planMigrations();
    return { missing: sql.length === 0 ? [] : migrationNames(sql), sql };
  },
  migrate: ({ lockTimeoutMs }) => adapter.migrateToLatest({ lockTimeoutMs }),
  check: async () => {
    if ((await adapter.planMigrations()).length > 0) {
      return [{ level: "fail", text: "migrations are missing: run `queuert migrate`" }];
    }
    const { missing, unexpected } = await adapter.checkSchema();
    return [
      ...missing.map((text): SchemaFinding => ({ level: "fail", text: `missing: ${text}` })),
      ...unexpected.map((text): SchemaFinding => ({ level: "warn", text: `not ours: ${text}` })),
    ];
  },
});

/** The names that the statements record, and "routines" for functions alone. */
const migrationNames = (sql: readonly string[]): string[] => {
  const recorded = sql.flatMap((statement) => {
    const name = /INSERT INTO .*\.migration[^']*'([^']+)'/s.exec(statement)?.[1];
    return name === undefined ? [] : [name];
  });
  return recorded.length > 0 ? recorded : ["routines"];
};
