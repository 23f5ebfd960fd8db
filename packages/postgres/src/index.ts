export {
  createPgStateAdapter,
  type PgStateAdapter,
  type PgStateAdapterOptions,
} from "./create-pg-state-adapter.ts";
export { createPgNotifyAdapter, type PgNotifyAdapterOptions } from "./create-pg-notify-adapter.ts";
export type { PgNotifyProvider } from "./notify-provider.ts";
export type { PgRow, PgStatement, PgStateProvider } from "./state-provider.ts";
export type { PgMigrations } from "./migrations/create-migrations.ts";
export type { MigrateOptions } from "./migrations/migrate.ts";
export type { SchemaDifferences } from "./migrations/check-schema.ts";
export { isTransientPgError } from "./transient-error.ts";
export * from "./errors.ts";
