// Versions before 8.16 are CommonJS without names that an import could find.
import pg, { type Client, type ClientConfig, type Pool } from "pg";
import type { SubscriberConnection, SubscriberConnectionEvents } from "queuert/internal";
import { type PgNotifyProvider, publishSql } from "../notify-provider.ts";
import { quoteIdentifier } from "../store-names.ts";
import { assertPool } from "./assert-client.ts";
import { surviveIdleClients } from "./pg-client.ts";

/** The options of `createPgPoolNotifyProvider`. */
export interface PgPoolNotifyProviderOptions {
  /** How the listening connection reaches the server, if not as the pool does: past a proxy that pools transactions. Default: as the pool. */
  readonly listenConnection?: ClientConfig | undefined;
}

/**
 * Publishes over the pool, and listens on a connection of its own beside it.
 *
 * @example
 * ```ts
 * const provider = createPgPoolNotifyProvider(pool, {
 *   listenConnection: { port: 5432 }, // past a proxy that pools transactions
 * });
 * ```
 */
export const createPgPoolNotifyProvider = (
  pool: Pool,
  options: PgPoolNotifyProviderOptions = {},
): PgNotifyProvider => {
  assertPool(pool);
  surviveIdleClients(pool);
  const { listenConnection = pool.options } = options;
  return {
    publish: async (channel, payloads) => {
      await pool.query(publishSql(channel, payloads));
    },
    connectSubscriber: (events) => connectSubscriber(listenConnection, events),
  };
};

const connectTimeoutMs = 5_000;
const farewellMs = 1_000;

const connectSubscriber = async (
  config: ClientConfig,
  { onMessage, onLost }: SubscriberConnectionEvents,
): Promise<SubscriberConnection> => {
  // Not spread: a pool keeps its password in a property that spreading leaves out.
  const client = new pg.Client(Object.create(config, { ...connectionSettings }) as ClientConfig);
  client.on("error", onLost);
  client.on("end", () => onLost(new Error("The listening connection has ended.")));
  client.on("notification", ({ channel, payload }) => onMessage(channel, payload ?? ""));
  try {
    await client.connect();
  } catch (error) {
    close(client);
    throw error;
  }
  const query = oneAfterTheOther(client);
  return {
    subscribe: (channel) => query(`LISTEN ${quoteIdentifier(channel, "channelPrefix")}`),
    unsubscribe: (channel) => query(`UNLISTEN ${quoteIdentifier(channel, "channelPrefix")}`),
    ping: () => query("SELECT 1"),
    close: () => close(client),
  };
};

/** The driver's own queue is deprecated, and says so in the user's process. */
const oneAfterTheOther = (client: Client): ((sql: string) => Promise<unknown>) => {
  let last: Promise<unknown> = Promise.resolve();
  return (sql) => {
    const run = (): Promise<unknown> => client.query(sql);
    last = last.then(run, run);
    return last;
  };
};

const connectionSettings: PropertyDescriptorMap = {
  connectionTimeoutMillis: { value: connectTimeoutMs, enumerable: true },
  keepAlive: { value: true, enumerable: true },
  application_name: { value: "queuert listener", enumerable: true },
};

/** Says farewell without waiting for an answer, and drops the connection when there is none. */
const close = (client: Client): void => {
  // The driver's own type hides the socket.
  const { stream } = (client as unknown as { connection: { stream: { destroy(): void } } })
    .connection;
  const timer = setTimeout(() => stream.destroy(), farewellMs);
  timer.unref();
  client.end().then(
    () => clearTimeout(timer),
    () => stream.destroy(),
  );
};
