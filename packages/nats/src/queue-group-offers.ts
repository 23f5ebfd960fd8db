// A message about jobs is first offered to one listening process, which the server picks: a queue group. The process wakes
// workers for as many jobs as they have room for, and returns the rest. So a job wakes one idle worker, and not one in
// every process. The rest, or an offer without a reply, is published to all processes.
import { randomBytes } from "node:crypto";
import type { ChannelSubscriber, JobScheduledHint, OutgoingMessage } from "queuert/internal";
import { subscribeLastingly } from "./lasting-subscription.ts";
import type { NatsConnection, NatsMessage } from "./nats-connection.ts";

export interface QueueGroupOffers {
  /** Resolves to the jobs that no process has taken: all of them if no process replied. */
  make(subject: string, message: OutgoingMessage): Promise<readonly JobScheduledHint[]>;
  /** Accepts offers for these listeners. If that is not permitted, they still receive the messages to all processes. */
  accept(subject: string, subscriber: ChannelSubscriber): Promise<() => void>;
  stop(): void;
}

// The server may pick a process that has been stopped, or whose event loop is busy.
const replyTimeoutMs = 100;
// After an offer without a reply, messages go to all processes at once.
const pauseMs = 5_000;

export const createQueueGroupOffers = (
  nc: NatsConnection,
  onError: (error: unknown) => void,
): QueueGroupOffers => {
  const replies = createReplies(nc);
  let pausedUntil = 0;
  const respond = (message: NatsMessage, left: readonly JobScheduledHint[]): void => {
    if (message.reply === undefined) return;
    try {
      nc.publish(message.reply, formatLeft(left));
    } catch (error) {
      // The connection was closed meanwhile: without a reply, the sender publishes to all processes.
      onError(error);
    }
  };

  return {
    make: async (subject, { counts, text }) => {
      if (Date.now() < pausedUntil) return counts;
      const reply = await replies.request(subject, text());
      const left = reply === null ? undefined : parseLeft(reply, counts);
      if (left !== undefined) return left;
      pausedUntil = Date.now() + pauseMs;
      return counts;
    },
    accept: async (subject, { onOffer, onReconnected }) => {
      if (onOffer === undefined) return () => undefined;
      const onMessage = (text: string, message: NatsMessage): void => {
        const left = onOffer(text);
        // The workers' acquisitions go first: the jobs wait for them, and nothing but the sender waits for the reply.
        setImmediate(() => respond(message, left));
      };
      try {
        const subscriber = { onMessage, onReconnected, queue: subject };
        return await subscribeLastingly(nc, subject, subscriber, onError);
      } catch (error) {
        onError(error);
        return () => undefined;
      }
    },
    stop: () => replies.stop(),
  };
};

interface Replies {
  /** Null: no reply in time, no subscriber, or not permitted. */
  request(subject: string, text: string): Promise<NatsMessage | null>;
  stop(): void;
}

/** The client's own requests make a stack trace each before they are sent; these do not. */
const createReplies = (nc: NatsConnection): Replies => {
  const instance = randomBytes(9).toString("base64url");
  const waiting = new Map<string, (reply: NatsMessage | null) => void>();
  let subscription: { unsubscribe(): void } | undefined;
  let requestCount = 0;
  const settleAll = (): void => {
    for (const settle of [...waiting.values()]) settle(null);
  };
  const listen = (subject: string): void => {
    subscription ??= nc.subscribe(`${subject}.${instance}.*`, {
      callback: (error, message) => {
        if (error === null) return waiting.get(message.subject ?? "")?.(message);
        // The server has ended the subscription: the next request makes another one.
        subscription = undefined;
        settleAll();
      },
    });
  };
  return {
    request: (subject, text) =>
      new Promise((resolve) => {
        listen(subject);
        requestCount += 1;
        const reply = `${subject}.${instance}.${requestCount}`;
        const settle = (message: NatsMessage | null): void => {
          clearTimeout(timer);
          waiting.delete(reply);
          // The server itself replies with 503 if there is no subscriber.
          resolve(message?.headers?.code === 503 ? null : message);
        };
        nc.publish(subject, text, { reply });
        const timer = setTimeout(() => settle(null), replyTimeoutMs);
        waiting.set(reply, settle);
      }),
    stop: () => {
      if (subscription !== undefined && !nc.isClosed()) subscription.unsubscribe();
      subscription = undefined;
      settleAll();
    },
  };
};

const formatLeft = (left: readonly JobScheduledHint[]): string =>
  left.length === 0 ? "" : JSON.stringify(left.map(({ typeName, count }) => [typeName, count]));

// As many entries as an offer may have, of the longest names.
const replyBytesMax = 65_536;

/** Undefined: not a reply to this offer. */
const parseLeft = (
  { data }: NatsMessage,
  offered: readonly JobScheduledHint[],
): readonly JobScheduledHint[] | undefined => {
  if (data.length === 0) return [];
  if (data.length > replyBytesMax) return undefined;
  const entries = parseArray(Buffer.from(data).toString());
  if (entries === undefined || entries.length > offered.length) return undefined;
  const counts = new Map(offered.map(({ typeName, count }) => [typeName, count]));
  const left = entries.flatMap((entry): readonly JobScheduledHint[] => {
    const [typeName, count]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    if (typeof typeName !== "string" || typeof count !== "number") return [];
    const isPart = Number.isSafeInteger(count) && count > 0 && count <= (counts.get(typeName) ?? 0);
    return isPart ? [{ typeName, count }] : [];
  });
  return left.length === entries.length ? left : undefined;
};

const parseArray = (text: string): readonly unknown[] | undefined => {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    // A foreign message: the caller publishes to all processes.
    return undefined;
  }
};
