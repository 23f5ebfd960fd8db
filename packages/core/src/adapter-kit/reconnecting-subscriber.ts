// Keeps one connection for subscriptions alive. Drivers cannot be relied on: some do not notice a half-open connection. Some
// do not subscribe again, or give up for ever after one refused attempt.
// - It connects for the first subscription, and replaces a lost connection with backoff until it is closed.
// - A connection is lost if it reports that, if a subscription fails on it, or if a ping gets no reply.
// - Subscribers are called when they are subscribed again. Nothing arrives from an abandoned connection.
import { withJitter } from "../model/backoff.ts";
import type { ChannelSubscriber } from "./notify-channel.ts";
import { rejectAfter } from "../async/time-limit.ts";

export interface SubscriberConnection {
  /** Resolves when the server has confirmed it. */
  subscribe(channel: string): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
  /** Resolves with any reply of the server. */
  ping(): Promise<unknown>;
  /** Closes at once: the server may be unreachable. */
  close(): void | Promise<void>;
}

export interface SubscriberConnectionEvents {
  readonly onMessage: (channel: string, text: string) => void;
  /** The connection is gone for good: it must not come back by itself. */
  readonly onLost: (error: unknown) => void;
}

export interface ReconnectingSubscriberOptions {
  /** Makes a new connection, or rejects within a few seconds, leaving nothing behind. */
  readonly connect: (events: SubscriberConnectionEvents) => Promise<SubscriberConnection>;
  /** Receives the reason why a connection was lost or could not be made. */
  readonly onError?: ((error: unknown) => void) | undefined;
  readonly pingIntervalMs?: number | undefined;
  readonly pingTimeoutMs?: number | undefined;
  readonly delayMinMs?: number | undefined;
  readonly delayMaxMs?: number | undefined;
}

export interface ReconnectingSubscriber {
  /** As `NotifyTransport.subscribe`, by the channel's name on the wire. */
  subscribe(channel: string, subscriber: ChannelSubscriber): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

type ResolvedOptions = {
  readonly [TName in keyof ReconnectingSubscriberOptions]-?: Exclude<
    ReconnectingSubscriberOptions[TName],
    undefined
  >;
};

interface Subscription {
  readonly subscriber: ChannelSubscriber;
  /** It has been active before, so notifications may have been missed when a new connection is made. */
  wasActive: boolean;
}

/** A connection, and whether it is lost. */
interface Link {
  connection: SubscriberConnection | undefined;
  lost: { readonly error: unknown } | undefined;
}

const defaultOptions = {
  // A lost connection is noticed within a poll interval.
  pingIntervalMs: 8_000,
  pingTimeoutMs: 2_000,
  delayMinMs: 50,
  delayMaxMs: 5_000,
};

class Subscriber implements ReconnectingSubscriber {
  readonly #options: ResolvedOptions;
  readonly #subscriptions = new Map<string, Subscription>();
  #current: Link | undefined;
  #connecting: Promise<SubscriberConnection> | undefined;
  #retryTimer: NodeJS.Timeout | undefined;
  #pingTimer: NodeJS.Timeout | undefined;
  #delayMs: number;
  #quiet = true;
  #closed = false;

  constructor(options: ResolvedOptions) {
    this.#options = options;
    this.#delayMs = options.delayMinMs;
  }

  async subscribe(channel: string, subscriber: ChannelSubscriber): Promise<() => Promise<void>> {
    const subscription: Subscription = { subscriber, wasActive: false };
    this.#subscriptions.set(channel, subscription);
    try {
      const connection = await this.#connected();
      // If the connection was made just now, this subscribes a second time, which is harmless.
      await connection.subscribe(channel);
      subscription.wasActive = true;
    } catch (error) {
      this.#subscriptions.delete(channel);
      throw error;
    }
    return () => this.#unsubscribe(channel, subscription);
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#retryTimer);
    clearInterval(this.#pingTimer);
    this.#subscriptions.clear();
    // A connection that is being made is abandoned by `#reconnect`.
    await this.#connecting?.catch(() => undefined);
    const link = this.#current;
    this.#current = undefined;
    if (link !== undefined) await this.#abandon(link, closedError());
  }

  async #unsubscribe(channel: string, subscription: Subscription): Promise<void> {
    if (this.#subscriptions.get(channel) !== subscription) return;
    this.#subscriptions.delete(channel);
    if (this.#subscriptions.size === 0) clearTimeout(this.#retryTimer);
    const link = this.#current;
    if (link?.connection === undefined) return;
    try {
      const ended = link.connection.unsubscribe(channel);
      await rejectAfter(ended, this.#options.pingTimeoutMs, "Unsubscribing");
    } catch (error) {
      // The subscriber is gone already. Without a reply the connection is lost.
      this.#lose(link, error);
    }
  }

  #connected(): Promise<SubscriberConnection> {
    if (this.#current?.connection !== undefined) return Promise.resolve(this.#current.connection);
    this.#connecting ??= this.#reconnect().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #reconnect(): Promise<SubscriberConnection> {
    const link: Link = { connection: undefined, lost: undefined };
    try {
      const connection = await this.#open(link);
      this.#current = link;
      this.#delayMs = this.#options.delayMinMs;
      this.#watch(link, connection);
      for (const { subscriber, wasActive } of this.#subscriptions.values()) {
        if (wasActive) subscriber.onReconnected();
      }
      return connection;
    } catch (error) {
      await this.#abandon(link, error);
      if (!this.#closed) this.#options.onError(error);
      this.#retryLater();
      throw error;
    }
  }

  async #open(link: Link): Promise<SubscriberConnection> {
    const connection = await this.#options.connect({
      onMessage: (channel, text) => {
        if (link.lost !== undefined) return;
        this.#quiet = false;
        this.#subscriptions.get(channel)?.subscriber.onMessage(text);
      },
      onLost: (error) => {
        this.#lose(link, error);
      },
    });
    link.connection = connection;
    const active = [...this.#subscriptions.keys()].map((channel) => connection.subscribe(channel));
    await rejectAfter(Promise.all(active), this.#options.pingTimeoutMs, "Subscribing");
    if (link.lost !== undefined) throw link.lost.error;
    if (this.#closed) throw closedError();
    return connection;
  }

  #watch(link: Link, connection: SubscriberConnection): void {
    this.#pingTimer = setInterval(() => {
      // A message since the last check makes a ping needless.
      const wasQuiet = this.#quiet;
      this.#quiet = true;
      if (!wasQuiet) return;
      rejectAfter(connection.ping(), this.#options.pingTimeoutMs, "A ping").catch(
        (error: unknown) => {
          this.#lose(link, error);
        },
      );
    }, this.#options.pingIntervalMs).unref();
  }

  #lose(link: Link, error: unknown): void {
    // A connection that is being made is abandoned by `#reconnect`.
    if (link !== this.#current) link.lost ??= { error };
    else {
      this.#current = undefined;
      clearInterval(this.#pingTimer);
      void this.#abandon(link, error);
      if (!this.#closed) this.#options.onError(error);
      this.#retryLater();
    }
  }

  #retryLater(): void {
    clearTimeout(this.#retryTimer);
    if (this.#closed || this.#subscriptions.size === 0) return;
    this.#retryTimer = setTimeout(
      () => {
        // A failure has scheduled the next attempt already. Only first subscribers wait for the outcome.
        if (this.#subscriptions.size > 0) this.#connected().catch(() => undefined);
      },
      withJitter(this.#delayMs, "equal", Math.random),
    );
    this.#delayMs = Math.min(this.#delayMs * 2, this.#options.delayMaxMs);
  }

  async #abandon(link: Link, error: unknown): Promise<void> {
    link.lost ??= { error };
    try {
      await link.connection?.close();
    } catch (closeError) {
      this.#options.onError(closeError);
    }
  }
}

const closedError = (): Error => new Error("The notify adapter is closed.");

/** Connects with the first subscription. */
export const createReconnectingSubscriber = (
  options: ReconnectingSubscriberOptions,
): ReconnectingSubscriber =>
  new Subscriber({
    connect: options.connect,
    onError: options.onError ?? (() => undefined),
    pingIntervalMs: options.pingIntervalMs ?? defaultOptions.pingIntervalMs,
    pingTimeoutMs: options.pingTimeoutMs ?? defaultOptions.pingTimeoutMs,
    delayMinMs: options.delayMinMs ?? defaultOptions.delayMinMs,
    delayMaxMs: options.delayMaxMs ?? defaultOptions.delayMaxMs,
  });
