import type { DynamicModule, InjectionToken, OptionalFactoryDependency } from "@nestjs/common";
import {
  type BaseStateAdapterContext,
  InvalidOptionError,
  type QueuertOptions,
  type StartWorkerOptions,
  type StateAdapter,
} from "queuert";

/** A state adapter of any context and id type. */
export type AnyAdapter = StateAdapter<BaseStateAdapterContext, BaseStateAdapterContext, string>;

/** A client of any job types. */
export interface AnyClient {
  createWorker(): object;
  close(): Promise<void>;
}

/** The options of the module. */
export interface QueuertModuleOptions<TDefinitions = unknown, TStateAdapter = AnyAdapter> {
  /** The options of `createQueuert`. The module closes this client. Default: none, and `queuert` is given. */
  readonly client?: QueuertOptions<TDefinitions, TStateAdapter> | undefined;
  /** A client of your own, such as that of a test. It stays open. Default: none, and `client` is given. */
  readonly queuert?: AnyClient | undefined;
  /** The options of the worker. False: this process only starts jobs. Default: a worker with its defaults. */
  readonly worker?: StartWorkerOptions | false | undefined;
}

/** The options of the module from a factory, with injected values. */
export interface QueuertModuleAsyncOptions<TDefinitions = unknown, TStateAdapter = AnyAdapter> {
  /** Modules whose exports the factory needs. Default: none. */
  readonly imports?: DynamicModule["imports"] | undefined;
  /** The arguments of the factory. Default: none. */
  readonly inject?: (InjectionToken | OptionalFactoryDependency)[] | undefined;
  /** Called once, when the application starts. */
  readonly useFactory: (
    ...injected: never[]
  ) =>
    | QueuertModuleOptions<TDefinitions, TStateAdapter>
    | Promise<QueuertModuleOptions<TDefinitions, TStateAdapter>>;
}

const names = ["client", "queuert", "worker"];

/** Refuses options of other names, and a client that is given twice or not at all. */
export const assertModuleOptions = (options: QueuertModuleOptions): void => {
  if (typeof options !== "object" || options === null) {
    throw new InvalidOptionError("options", options, "give an object");
  }
  for (const [name, value] of Object.entries(options)) {
    if (names.includes(name) || value === undefined) continue;
    throw new InvalidOptionError(name, value, `the options are ${names.join(", ")}`);
  }
  const { client, queuert } = options;
  if ((client === undefined) === (queuert === undefined)) {
    throw new InvalidOptionError("client", client, "give either `client` or `queuert`");
  }
};
