import type { BaseStateAdapterContext } from "queuert/internal";
import type { PgStateProvider } from "../state-provider.ts";
import type { StoreNames } from "../store-names.ts";
import { checkSchema, type SchemaDifferences } from "./check-schema.ts";
import { type MigrateOptions, migrateToLatest, planMigrations } from "./migrate.ts";

/** What manages the schema, beside the contract. */
export interface PgMigrations {
  /** Creates or updates the schema, once, however many processes call it. Answers the migrations applied by this call. */
  migrateToLatest(options?: MigrateOptions): Promise<readonly string[]>;
  /** A dry run: the statements `migrateToLatest` would run now. */
  planMigrations(): Promise<readonly string[]>;
  /**
   * How the schema differs from what this version would create: a lost index, an edited function. Builds the expected
   * schema in a transaction that it rolls back, so the role needs the right to create one.
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
