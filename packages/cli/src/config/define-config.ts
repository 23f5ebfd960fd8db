import type { BaseStateAdapterContext, JobTypes, NotifyAdapter, StateAdapter } from "queuert";
import type { RedactOption, RedactTextOption } from "queuert/operator";
import type { ImportedJob } from "../import/source.ts";

type MaybePromise<T> = T | Promise<T>;

/** A state adapter of any context and id type. */
export type ConfiguredStateAdapter = StateAdapter<
  BaseStateAdapterContext,
  BaseStateAdapterContext,
  string
>;

/** The store that the commands work on. */
export interface StoreConfig {
  /**
   * The address of the store: `postgres://…`, `mongodb://…` or `sqlite:app.db`. A relative file is beside the config.
   * Left out: `stateAdapter` makes the store.
   */
  readonly url?: string | undefined;
  /** With a `postgres://` address: the schema of Queuert's tables. Default: `"queuert"`. */
  readonly schema?: string | undefined;
  /** With another address: the beginning of the names of tables or collections. Default: `"queuert_"`. */
  readonly prefix?: string | undefined;
  /** With a SQL address: the SQL type of job ids. Default: that of the adapter. */
  readonly idType?: string | undefined;
  /** Makes the state adapter of the application. It is called once a command, and only for commands that need the store. Left out: `url` names the store. */
  readonly stateAdapter?: (() => MaybePromise<ConfiguredStateAdapter>) | undefined;
  /** Makes the notify adapter, so that workers are notified of jobs that a command has started. Default: none. */
  readonly notifyAdapter?: (() => MaybePromise<NotifyAdapter>) | undefined;
  /** Closes resources that the functions above have opened. Default: the process ends without it. */
  readonly close?: (() => MaybePromise<void>) | undefined;
  /** The name that outputs show, such as `"production"`. Default: none. */
  readonly environment?: string | undefined;
  /**
   * Paths in payloads whose values are never shown, by job type; `*` is every type. Or a function that returns a payload as it may
   * be shown. Default: only secret keys.
   */
  readonly redact?: RedactOption | undefined;
  /** Returns each error and each logged line as it may be shown. Default: they are shown whole. */
  readonly redactText?: RedactTextOption | undefined;
  /** `"always"`: asks before every write to a stored job, also of one job. Default: `"several"`. */
  readonly confirm?: "always" | "several" | undefined;
  /** Refuses all commands that write. Default: false. */
  readonly readOnly?: boolean | undefined;
}

/** How `queuert import` makes jobs of those of another library. */
export interface ImportConfig {
  /**
   * By name of the other library: the start that its jobs become, or null to leave a job there. Default: a name that is a job type
   * keeps its name and its data, and the jobs of other names are left.
   */
  readonly map?:
    | Readonly<
        Record<
          string,
          (job: ImportedJob) => { readonly typeName: string; readonly input: unknown } | null
        >
      >
    | undefined;
}

/** The content of `queuert.config.ts`. */
export interface Config extends StoreConfig {
  /** The result of `defineUnionJobTypes`. With a catalogue, names and payloads of `start` are checked. Default: none. */
  readonly jobTypeDefinitions?: JobTypes<unknown> | undefined;
  /** How `queuert import` converts jobs of other libraries. Default: jobs with the name of a job type keep name and data. */
  readonly import?: ImportConfig | undefined;
  /** Fields that replace those above when `--profile` names them. Default: none. */
  readonly profiles?: Readonly<Record<string, StoreConfig>> | undefined;
}

/**
 * Checks the type of a config: `export default defineConfig({ url: "sqlite:app.db" })`.
 *
 * @example
 * ```ts
 * export default defineConfig({ url: process.env["DATABASE_URL"] ?? "sqlite:app.db" });
 * ```
 */
export const defineConfig = (config: Config): Config => config;
