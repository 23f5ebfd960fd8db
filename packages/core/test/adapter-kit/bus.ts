// A broker in memory, for tests of code on a transport. It delivers on request, fails on request,
// and can lose and regain its subscriptions.
import { createDeferred, type Deferred } from "../../src/async/deferred.ts";
import type { JobScheduledHint } from "../../src/adapters/notify-adapter.ts";
import {
  type ChannelSubscriber,
  type NotifyChannel,
  type NotifyTopic,
  type NotifyTransport,
  toNotifyTopic,
} from "../../src/adapter-kit/notify-channel.ts";

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
  /** By the words of the topic, joined by dots. */
  readonly injectInto: (name: string, text: string) => void;
  readonly reconnect: () => void;
}

export const createBus = (): Bus => {
  const subscribers = new Set<readonly [NotifyTopic, ChannelSubscriber]>();
  const published: (readonly [NotifyChannel, string])[] = [];
  const hints = new Map<string, Map<string, number>>();
  let subscribeCount = 0;
  let held: Deferred<void> | undefined;
  let publishError: Error | undefined;
  let subscribeError: Error | undefined;
  let hintError: Error | undefined;

  const deliver = (name: string, text: string): void => {
    for (const [topic, { onMessage }] of [...subscribers]) {
      if (topic.words.join(".") === name) onMessage(text);
    }
  };

  const takeFrom: NotifyTransport["takeHints"] = async (_topic, id, wanted) => {
    await Promise.resolve();
    if (hintError !== undefined) throw hintError;
    return takeOf(hints.get(id) ?? new Map(), wanted);
  };

  const publishWith =
    (withHints: boolean): NotifyTransport["publish"] =>
    async ({ channel, words }, messages) => {
      await held?.promise;
      if (publishError !== undefined) throw publishError;
      for (const { counts, text } of messages) {
        const hintId = withHints && counts.length > 0 ? `hint-${hints.size}` : undefined;
        if (hintId !== undefined) {
          hints.set(hintId, new Map(counts.map(({ typeName, count }) => [typeName, count])));
        }
        published.push([channel, text(hintId)]);
        deliver(words.join("."), text(hintId));
      }
    };

  const transport = ({ hints: withHints = false } = {}): NotifyTransport => ({
    sharesHints: withHints,
    payloadBytesMax: 500,
    publish: publishWith(withHints),
    subscribe: async (topic, subscriber) => {
      subscribeCount += 1;
      if (subscribeError !== undefined) throw subscribeError;
      return addLater(subscribers, [topic, subscriber]);
    },
    ...(withHints && { takeHints: takeFrom }),
    close: () => Promise.resolve(),
  });

  return {
    transport,
    published: (channel) => published.filter(([on]) => on === channel).map(([, text]) => text),
    subscriptionCount: (channel) =>
      [...subscribers].filter(([on]) => on.channel === channel).length,
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
    inject: (channel, text) => deliver(toNotifyTopic(channel, "").words.join("."), text),
    injectInto: deliver,
    reconnect: () => {
      for (const [, { onReconnected }] of [...subscribers]) onReconnected();
    },
  };
};

/** Adds in a later turn, and resolves to a function that removes in a later turn. */
const addLater = async <TElement>(
  set: Set<TElement>,
  element: TElement,
): Promise<() => Promise<void>> => {
  await Promise.resolve();
  set.add(element);
  return async () => {
    await Promise.resolve();
    set.delete(element);
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
