import type { NotifyAdapter } from "queuert";
import type { ConfiguredStateAdapter } from "../config/define-config.ts";

/** Something wrong with the schema of a store. */
export interface SchemaFinding {
  readonly level: "fail" | "warn";
  readonly text: string;
}

export interface MigrationPlan {
  /** The names of the missing migrations, collections or indexes. */
  readonly missing: readonly string[];
  /** Their statements, where the store has a language for them. */
  readonly sql: readonly string[];
}

/** The schema of a store. Every method may reject with the errors of the adapter, such as those for a newer schema. */
export interface StoreSchema {
  plan(): Promise<MigrationPlan>;
  /** Applies the missing migrations and returns their names. */
  migrate(options: { readonly lockTimeoutMs: number | undefined }): Promise<readonly string[]>;
  check(): Promise<readonly SchemaFinding[]>;
}

/** A store that can be reached, with or without a schema. */
export interface OpenStore {
  readonly kind: "postgres" | "sqlite" | "mongodb" | "custom";
  /** Undefined for an adapter whose schema is not managed by methods of its own. */
  readonly schema: StoreSchema | undefined;
  /** Rejects if the schema is missing, in stores that look at it when they open. */
  openState(): Promise<ConfiguredStateAdapter>;
  openNotify(): Promise<NotifyAdapter | undefined>;
  close(): Promise<void>;
}

export interface OpenOptions {
  readonly url: string;
  /** The folder that packages and relative files are looked up from. */
  readonly folder: string;
  readonly schema: string | undefined;
  readonly prefix: string | undefined;
  readonly idType: string | undefined;
  readonly timeoutMs: number;
}
