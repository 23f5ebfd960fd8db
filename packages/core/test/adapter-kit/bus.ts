// A broker in memory, for tests of code on a transport. It delivers on request, fails on request,
// and can lose and regain its subscriptions.
import { createDeferred, type Deferred } from "../../src/async/deferred.ts";
import type { JobScheduledHint } from "../../src/adapters/notify-adapter.ts";
import type {
  ChannelSubscriber,
  NotifyChannel,
  NotifyTransport,
} from "../../src/adapter-kit/notify-transport.ts";

export interface Bus {
  readonly transport: (options?: { readonly hints?: boolean }) => NotifyTransport;
  /** Texts published, by channel. */
  readonly published: (channel: NotifyChannel) => readonly string[];
  readonly subscriptionCount: (channel: NotifyChannel) => number;
  readonly subscribeCount: () => number;
  /** Publishing waits for the returned function from now on. */
  readonly holdPublishing: () => () => void;
  readonly failPublishing: (error: Error | undefined) => void;
  readonly failSubscribing: (error: Error | undefined) => void;
  readonly failHints: (error: Error | undefined) => void;
  readonly inject: (channel: NotifyChannel, text: string) => void;
  readonly reconnect: () => void;
}

export const createBus = (): Bus => {
  const subscribers = new Set<readonly [NotifyChannel, ChannelSubscriber]>();
  const published: (readonly [NotifyChannel, string])[] = [];
  const hints = new Map<string, Map<string, number>>();
  let subscribeCount = 0;
  let held: Deferred<void> | undefined;
  let publishError: Error | undefined;
  let subscribeError: Error | undefined;
  let hintError: Error | undefined;

  const inject = (channel: NotifyChannel, text: string): void => {
    for (const [subscribed, { onMessage }] of [...subscribers]) {
      if (subscribed === channel) onMessage(text);
    }
  };

  const takeFrom: NotifyTransport["takeHints"] = async ({ id }, wanted) => {
    await Promise.resolve();
    if (hintError !== undefined) throw hintError;
    return takeOf(hints.get(id) ?? new Map(), wanted);
  };

  const transport = ({ hints: withHints = false } = {}): NotifyTransport => ({
    payloadBytesMax: 500,
    publish: async (channel, messages) => {
      await held?.promise;
      if (publishError !== undefined) throw publishError;
      for (const { counts, text } of messages) {
        const hintId = withHints && counts.length > 0 ? `hint-${hints.size}` : undefined;
        if (hintId !== undefined) {
          hints.set(hintId, new Map(counts.map(({ typeName, count }) => [typeName, count])));
        }
        published.push([channel, text(hintId)]);
        inject(channel, text(hintId));
      }
    },
    subscribe: async (channel, subscriber) => {
      subscribeCount += 1;
      if (subscribeError !== undefined) throw subscribeError;
      const subscription = [channel, subscriber] as const;
      await Promise.resolve();
      subscribers.add(subscription);
      return async () => {
        await Promise.resolve();
        subscribers.delete(subscription);
      };
    },
    ...(withHints && { takeHints: takeFrom }),
    close: () => Promise.resolve(),
  });

  return {
    transport,
    published: (channel) => published.filter(([on]) => on === channel).map(([, text]) => text),
    subscriptionCount: (channel) => [...subscribers].filter(([on]) => on === channel).length,
    subscribeCount: () => subscribeCount,
    holdPublishing: () => {
      const own = createDeferred<void>();
      held = own;
      return () => {
        held = undefined;
        own.resolve();
      };
    },
    failPublishing: (error) => (publishError = error),
    failSubscribing: (error) => (subscribeError = error),
    failHints: (error) => (hintError = error),
    inject,
    reconnect: () => {
      for (const [, { onReconnected }] of [...subscribers]) onReconnected();
    },
  };
};

/** Long enough for everything that is under way in memory to have happened. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const takeOf = (left: Map<string, number>, wanted: readonly JobScheduledHint[]): number[] =>
  wanted.map(({ typeName, count }) => {
    const known = left.get(typeName) ?? 0;
    const part = Math.min(count, known);
    left.set(typeName, known - part);
    return part;
  });
