// LISTEN and NOTIFY as the transport of a notify adapter: three channels, and one listening connection however many
// workers the process runs. Publishing is a statement of its own, never part of the user's transaction.
import {
  type ChannelNotifyAdapter,
  createChannelNotifyAdapter,
  createReconnectingSubscriber,
  hasMethods,
  limits,
  type NotifyTopic,
  type NotifyTransport,
} from "queuert/internal";
import { PgInvalidOptionError } from "./errors.ts";
import type { PgNotifyProvider } from "./notify-provider.ts";

/** The options of `createPgNotifyAdapter`. */
export interface PgNotifyAdapterOptions {
  /** See `@queuert/postgres/pg` and `@queuert/postgres/postgres-js`. */
  readonly provider: PgNotifyProvider;
  /** Before the names of channels, which also carry the identity of the store. Default: `"queuert"`. */
  readonly channelPrefix?: string | undefined;
  /**
   * How often a listening connection on which nothing arrives is checked: a half-open connection is noticed within this
   * and two seconds. Default: 8,000.
   */
  readonly pingIntervalMs?: number | undefined;
  /** Receives errors that no call rejects with: lost connections, listeners that threw. Default: none. The client reports them, too. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

// The server takes payloads of less than 8,000 bytes.
const payloadBytesMax = 7_900;
// The server cuts off names at 63 bytes, silently: a prefix, `_sched_` and the 16 characters of the store's identity.
const channelPrefixPattern = /^[a-z_][a-z0-9_]{0,39}$/i;

const createTransport = ({
  provider,
  channelPrefix = "queuert",
  pingIntervalMs,
  onError,
}: PgNotifyAdapterOptions): NotifyTransport => {
  const nameOf = ({ words }: NotifyTopic): string => [channelPrefix, ...words].join("_");
  const subscriber = createReconnectingSubscriber({
    connect: provider.connectSubscriber,
    pingIntervalMs,
    onError,
  });
  return {
    sharesHints: false,
    payloadBytesMax,
    publish: (topic, messages) =>
      provider.publish(
        nameOf(topic),
        messages.map(({ text }) => text()),
      ),
    subscribe: (topic, events) => subscriber.subscribe(nameOf(topic), events),
    close: () => subscriber.close(),
  };
};

/**
 * Notifications over PostgreSQL's LISTEN and NOTIFY. There are no hint counts: every process that has room looks for
 * a job it is told of. It connects at the first subscription, so a worker starts without the server, too.
 *
 * @example
 * ```ts
 * const notifyAdapter = await createPgNotifyAdapter({
 *   provider: createPgPoolNotifyProvider(pool),
 * });
 * ```
 *
 * @throws QUEUERT_PG_INVALID_OPTION
 */
export const createPgNotifyAdapter = async (
  options: PgNotifyAdapterOptions,
): Promise<ChannelNotifyAdapter> => {
  const { provider, channelPrefix = "queuert", pingIntervalMs } = options;
  if (!hasMethods(provider, ["publish", "connectSubscriber"])) {
    const expected = "a provider, such as `createPgPoolNotifyProvider(pool)` makes";
    throw new PgInvalidOptionError("provider", expected);
  }
  if (!channelPrefixPattern.test(channelPrefix)) {
    throw new PgInvalidOptionError("channelPrefix", "up to 40 letters, digits and underscores");
  }
  const isInterval = (ms: number): boolean =>
    Number.isInteger(ms) && ms > 0 && ms <= limits.timerMsMax;
  if (pingIntervalMs !== undefined && !isInterval(pingIntervalMs)) {
    throw new PgInvalidOptionError("pingIntervalMs", "a whole number of milliseconds above 0");
  }
  return createChannelNotifyAdapter({
    transport: createTransport(options),
    onError: options.onError,
  });
};
