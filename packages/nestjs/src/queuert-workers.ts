// The worker of the application: its process functions are the decorated methods of the application's providers.
import type { BeforeApplicationShutdown, OnApplicationBootstrap } from "@nestjs/common";
import type { DiscoveryService } from "@nestjs/core";
import type { RunningWorker, WorkerBuilder } from "queuert";
import { QueuertNestScopeError } from "./errors.ts";
import type { AnyClient, QueuertModuleOptions } from "./options.ts";
import { jobMethodsOf } from "./process-job.ts";

type AnyWorker = WorkerBuilder<string, object, object>;

/** Builds and starts the worker, and ends it before the owners of connections close them. */
export class QueuertWorkers implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly #queuert: AnyClient;
  readonly #options: QueuertModuleOptions;
  readonly #discovery: DiscoveryService;
  #running: RunningWorker | null = null;

  constructor(queuert: AnyClient, options: QueuertModuleOptions, discovery: DiscoveryService) {
    this.#queuert = queuert;
    this.#options = options;
    this.#discovery = discovery;
  }

  /**
   * A worker with all process functions of the application, which is not started: for `drain` in tests, and for
   * `createWorkHandler`.
   */
  build(): AnyWorker {
    // Names of job types are known at run time only: the decorators have checked them.
    let worker = this.#queuert.createWorker() as UntypedWorker;
    for (const instance of this.#instances()) {
      for (const { key, typeName, options } of jobMethodsOf(instance)) {
        // Looked up at each call: another decorator may have replaced the method.
        const process = (context: unknown): unknown =>
          (instance as Readonly<Record<string | symbol, (context: unknown) => unknown>>)[key]?.(
            context,
          );
        worker = worker.implementJobType({ ...options, typeName, process });
      }
    }
    return worker as unknown as AnyWorker;
  }

  /** Called by Nest when all providers are there. */
  async onApplicationBootstrap(): Promise<void> {
    const { worker = {} } = this.#options;
    const hasMethods = this.#instances().some((instance) => jobMethodsOf(instance).length > 0);
    if (worker === false || !hasMethods) return;
    this.#running = await this.build().start(worker);
  }

  /** Called by Nest before connections are closed. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.#running?.stop();
    if (this.#options.queuert === undefined) await this.#queuert.close();
  }

  /** Each provider once. */
  #instances(): readonly object[] {
    const instances = new Set<object>();
    for (const wrapper of this.#discovery.getProviders()) {
      const { metatype, name } = wrapper;
      if (!wrapper.isDependencyTreeStatic()) {
        const prototype: unknown = typeof metatype === "function" ? metatype.prototype : undefined;
        if (typeof prototype === "object" && prototype !== null && hasJobMethods(prototype)) {
          throw new QueuertNestScopeError(String(name));
        }
        continue;
      }
      const instance: unknown = wrapper.instance;
      if (typeof instance === "object" && instance !== null) instances.add(instance);
    }
    return [...instances];
  }
}

/** Of the instances that a class would have. */
const hasJobMethods = (prototype: object): boolean =>
  jobMethodsOf(Object.create(prototype) as object).length > 0;

interface UntypedWorker {
  implementJobType(options: object): UntypedWorker;
}
