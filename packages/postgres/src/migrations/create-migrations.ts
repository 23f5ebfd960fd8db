import type { BaseStateAdapterContext } from "queuert/internal";
import type { PgStateProvider } from "../state-provider.ts";
import type { StoreNames } from "../store-names.ts";
import { checkSchema, type SchemaDifferences } from "./check-schema.ts";
import { type MigrateOptions, migrateToLatest, planMigrations } from "./migrate.ts";

/** Methods that manage the schema, beside the contract. */
export interface PgMigrations {
  /**
   * Creates or updates the schema, once, however many processes call it. Returns the migrations applied by this call, and
   * `routines-<version>` if it created or dropped functions.
   */
  migrateToLatest(options?: MigrateOptions): Promise<readonly string[]>;
  /** A dry run: the statements that `migrateToLatest` would run now, to be run in one transaction. */
  planMigrations(): Promise<readonly string[]>;
  /**
   * How the schema differs from the one that this version would create: a lost index, an edited function. Builds the
   * expected schema in a transaction that it rolls back, so the role needs the right to create one.
   */
  checkSchema(): Promise<SchemaDifferences>;
}

export const createMigrations = (
  provider: PgStateProvider<BaseStateAdapterContext, BaseStateAdapterContext>,
  names: StoreNames,
): PgMigrations => ({
  migrateToLatest: (options) => migrateToLatest(provider, names, options),
  planMigrations: () => planMigrations(provider, names),
  checkSchema: () => checkSchema(provider, names),
});
