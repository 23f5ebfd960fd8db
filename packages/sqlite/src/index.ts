export {
  createSqliteStateAdapter,
  type SqliteStateAdapter,
  type SqliteStateAdapterOptions,
} from "./create-sqlite-state-adapter.ts";
export type { SqliteStateProvider } from "./state-provider.ts";
export type {
  SqliteConnection,
  SqliteRunResult,
  SqliteStatement,
  SqliteValue,
} from "./connection.ts";
export { checkSqliteSchema } from "./migrations/check-schema.ts";
export {
  migrateSqliteSchema,
  type SqliteMigrationResult,
  type SqliteSchemaOptions,
} from "./migrations/migrate.ts";
export { isTransientSqliteError } from "./driver-errors.ts";
export { type AsyncLock, createAsyncLock } from "queuert/internal";
export * from "./errors.ts";
