import type * as Adapters from "@queuert/sqlite";
import type * as BetterSqlite3Providers from "@queuert/sqlite/better-sqlite3";
import type * as NodeSqliteProviders from "@queuert/sqlite/node-sqlite";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { SqliteSchemaOptions } from "@queuert/sqlite";
import { CliUnreachableError } from "../errors.ts";
import { findPackage, loadPackage } from "./load-package.ts";
import type { MigrationPlan, OpenOptions, OpenStore, SchemaFinding, StoreSchema } from "./store.ts";

type Driver = NonNullable<
  Extract<
    Parameters<(typeof BetterSqlite3Providers)["createBetterSqlite3Provider"]>[0],
    { readonly filename: string }
  >["driver"]
>;

type Provider = SqliteSchemaOptions["stateProvider"] & { close(): Promise<void> };

export const openSqlite = async (options: OpenOptions): Promise<OpenStore> => {
  const { folder, prefix: tablePrefix, idType, timeoutMs } = options;
  const filename = resolve(folder, options.url.replace(/^sqlite:(\/\/)?/, ""));
  const adapters = await loadPackage<typeof Adapters>(folder, "@queuert/sqlite");
  let opening: Promise<Provider> | undefined;
  const openProvider = (mayCreate: boolean): Promise<Provider> => {
    // SQLite creates a file that it is asked to open. A look must not leave an empty database behind.
    if (!mayCreate && !existsSync(filename)) {
      throw new CliUnreachableError(
        `There is no SQLite file at ${filename}. Check the address, or create the file with \`queuert migrate\`.`,
      );
    }
    opening ??= connect(folder, filename, timeoutMs);
    return opening;
  };
  const named = {
    ...(tablePrefix !== undefined && { tablePrefix }),
    ...(idType !== undefined && { idType }),
  };
  const schema = sqliteSchema(adapters, async (mayCreate) => ({
    stateProvider: await openProvider(mayCreate),
    ...named,
  }));
  return {
    kind: "sqlite",
    schema: {
      ...schema,
      plan: () =>
        existsSync(filename)
          ? schema.plan()
          : inScratchFile(folder, timeoutMs, (stateProvider) =>
              planOf(adapters, { stateProvider, ...named }),
            ),
    },
    openState: async () =>
      adapters.createSqliteStateAdapter({
        stateProvider: await openProvider(false),
        migrate: false,
        ...named,
      }),
    openNotify: async () => undefined,
    close: async () => (await opening)?.close(),
  };
};

const connect = async (
  folder: string,
  filename: string,
  busyTimeoutMs: number,
): Promise<Provider> => {
  const found = (await findPackage(folder, "better-sqlite3")) as
    { readonly default: Driver } | undefined;
  if (found !== undefined) {
    const { createBetterSqlite3Provider } = await loadPackage<typeof BetterSqlite3Providers>(
      folder,
      "@queuert/sqlite/better-sqlite3",
    );
    return createBetterSqlite3Provider({ filename, driver: found.default, busyTimeoutMs });
  }
  // Without the package: the SQLite of Node. Its error names both.
  const { createNodeSqliteProvider } = await loadPackage<typeof NodeSqliteProviders>(
    folder,
    "@queuert/sqlite/node-sqlite",
  );
  return createNodeSqliteProvider({ filename, busyTimeoutMs });
};

const sqliteSchema = (
  adapters: typeof Adapters,
  open: (mayCreate: boolean) => Promise<SqliteSchemaOptions>,
): StoreSchema => ({
  plan: async () => planOf(adapters, await open(false)),
  migrate: async () => {
    const { applied } = await adapters.migrateSqliteSchema(await open(true));
    return applied.map(toName);
  },
  check: async () => {
    try {
      await adapters.checkSqliteSchema(await open(false));
      return [];
    } catch (error) {
      return findingsOf(error);
    }
  },
});

const planOf = async (
  adapters: typeof Adapters,
  options: SqliteSchemaOptions,
): Promise<MigrationPlan> => {
  const { applied, sql } = await adapters.migrateSqliteSchema({ ...options, dryRun: true });
  return { missing: applied.map(toName), sql: sql === "" ? [] : [sql] };
};

/** The plan for a file that does not exist yet, without creating it. */
const inScratchFile = async <T>(
  folder: string,
  timeoutMs: number,
  step: (provider: Provider) => Promise<T>,
): Promise<T> => {
  const scratch = mkdtempSync(join(tmpdir(), "queuert-plan-"));
  try {
    const provider = await connect(folder, join(scratch, "plan.db"), timeoutMs);
    try {
      return await step(provider);
    } finally {
      await provider.close();
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
};

const toName = ({ version, name }: { readonly version: number; readonly name: string }): string =>
  `${String(version).padStart(4, "0")}-${name}`;

const findingsOf = (error: unknown): SchemaFinding[] => {
  const { code, message } = error as { readonly code?: unknown; readonly message: string };
  if (code === "QUEUERT_SQLITE_SCHEMA_TOO_OLD") {
    return [{ level: "fail", text: "migrations are missing: run `queuert migrate`" }];
  }
  if (code === "QUEUERT_SQLITE_SCHEMA_DRIFT") return [{ level: "fail", text: message }];
  throw error;
};
