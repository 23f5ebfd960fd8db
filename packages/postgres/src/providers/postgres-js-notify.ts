import postgres, { type Sql } from "postgres";
import type { SubscriberConnection, SubscriberConnectionEvents } from "queuert/internal";
import { type PgNotifyProvider, publishSql } from "../notify-provider.ts";
import { quoteIdentifier } from "../store-names.ts";
import { assertPostgresJs } from "./assert-client.ts";

/** The options of `createPostgresJsNotifyProvider`. */
export interface PostgresJsNotifyProviderOptions {
  /** A client that reaches the server past a proxy that pools transactions; only its options are used. Default: the same client. */
  readonly listenConnection?: Sql | undefined;
}

/**
 * Publishes over the client's connections, and listens on one of its own with the same options.
 *
 * @example
 * ```ts
 * const sql = postgres("postgres://localhost/app", { fetch_types: false });
 * const notifyAdapter = await createPgNotifyAdapter({
 *   provider: createPostgresJsNotifyProvider(sql),
 * });
 * ```
 */
export const createPostgresJsNotifyProvider = (
  sql: Sql,
  { listenConnection = sql }: PostgresJsNotifyProviderOptions = {},
): PgNotifyProvider => {
  assertPostgresJs(sql);
  assertPostgresJs(listenConnection, "listenConnection");
  return {
    publish: async (channel, payloads) => {
      // Without arguments the driver sends it as a message of one part.
      await sql.unsafe(publishSql(channel, payloads));
    },
    connectSubscriber: (events) => connectSubscriber(listenConnection, events),
  };
};

// Not the driver's own `listen`: it does not notice a half-open connection.
const connectSubscriber = async (
  { options }: Sql,
  { onMessage, onLost }: SubscriberConnectionEvents,
): Promise<SubscriberConnection> => {
  const listener = postgres({
    ...options,
    max: 1,
    idle_timeout: null,
    max_lifetime: null,
    fetch_types: false,
    connect_timeout: 5,
    onnotify: onMessage,
    onclose: () => onLost(new Error("The listening connection was closed.")),
    // The type of options that were parsed already, which the driver takes, is not declared as such.
  } as unknown as Parameters<typeof postgres>[0] & object);
  // Does not wait for an answer.
  const close = (): Promise<void> => listener.end({ timeout: 0 });
  try {
    await listener.unsafe("SELECT 1");
  } catch (error) {
    await close();
    throw error;
  }
  return {
    subscribe: (channel) =>
      listener.unsafe(`LISTEN ${quoteIdentifier(channel, "channelPrefix")}`).execute(),
    unsubscribe: (channel) =>
      listener.unsafe(`UNLISTEN ${quoteIdentifier(channel, "channelPrefix")}`).execute(),
    ping: () => listener.unsafe("SELECT 1").execute(),
    close,
  };
};
