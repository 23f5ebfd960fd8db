import type { DynamicModule } from "@nestjs/common";
import { DiscoveryModule, DiscoveryService } from "@nestjs/core";
import { createQueuert } from "queuert";
import {
  type AnyAdapter,
  assertModuleOptions,
  type QueuertModuleAsyncOptions,
  type QueuertModuleOptions,
} from "./options.ts";
import { QueuertWorkers } from "./queuert-workers.ts";
import { QUEUERT, QUEUERT_OPTIONS } from "./tokens.ts";

/** Gives an application its client and its worker. The module is global: import it once, in the root module. */
// oxlint-disable-next-line typescript/no-extraneous-class -- a module of Nest is a class
export class QueuertModule {
  /**
   * With options that are known at once.
   *
   * @throws QUEUERT_INVALID_OPTION
   */
  static forRoot<TDefinitions, TStateAdapter extends AnyAdapter>(
    options: QueuertModuleOptions<TDefinitions, TStateAdapter>,
  ): DynamicModule {
    assertModuleOptions(options as unknown as QueuertModuleOptions);
    return QueuertModule.forRootAsync({ useFactory: () => options });
  }

  /** With options from a factory, which may wait for a connection. */
  static forRootAsync<TDefinitions, TStateAdapter extends AnyAdapter>({
    imports = [],
    inject = [],
    useFactory,
  }: QueuertModuleAsyncOptions<TDefinitions, TStateAdapter>): DynamicModule {
    return {
      module: QueuertModule,
      global: true,
      imports: [DiscoveryModule, ...imports],
      providers: [
        { provide: QUEUERT_OPTIONS, inject, useFactory },
        { provide: QUEUERT, inject: [QUEUERT_OPTIONS], useFactory: openClient },
        {
          provide: QueuertWorkers,
          inject: [QUEUERT, QUEUERT_OPTIONS, DiscoveryService],
          useFactory: (...[queuert, options, discovery]: WorkersArguments) =>
            new QueuertWorkers(queuert, options, discovery),
        },
      ],
      exports: [QUEUERT, QueuertWorkers],
    };
  }
}

type WorkersArguments = ConstructorParameters<typeof QueuertWorkers>;

const openClient = async (options: QueuertModuleOptions): Promise<unknown> => {
  assertModuleOptions(options);
  const { client, queuert } = options;
  return client === undefined ? queuert : createQueuert(client);
};
