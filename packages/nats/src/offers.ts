// With a bucket, a message about jobs is first offered to one process that listens, whichever the server picks: a queue group.
// It wakes workers for what they have room for and answers with what is left, so that a job wakes one idle worker without a
// round trip for its hint. What is left, or was not answered, goes to all, with a hint in the bucket.
import { randomBytes } from "node:crypto";
import type { ChannelSubscriber, JobScheduledHint, OutgoingMessage } from "queuert/internal";
import { subscribeLastingly } from "./lasting-subscription.ts";
import type { NatsConnection, NatsMessage } from "./nats-connection.ts";

export interface Offers {
  /** Answers what nobody has come for: all of it, if nobody was there or could be asked. */
  make(message: OutgoingMessage): Promise<readonly JobScheduledHint[]>;
  /** Takes offers for these listeners. A process that is not permitted to is told by the messages to all. */
  take(subscriber: ChannelSubscriber): Promise<() => void>;
  stop(): void;
}

// Whoever was picked may be stopped, or busy for long, without the server knowing.
const answerTimeoutMs = 100;
// Nobody takes offers, or somebody does not answer: until then all are told at once.
const pauseMs = 5_000;

export const createOffers = (
  nc: NatsConnection,
  subject: string,
  onError: (error: unknown) => void,
): Offers => {
  const answers = createAnswers(nc, `${subject}.${randomBytes(9).toString("base64url")}`);
  let pausedUntil = 0;
  const respond = (message: NatsMessage, left: readonly JobScheduledHint[]): void => {
    if (message.reply === undefined) return;
    try {
      nc.publish(message.reply, formatLeft(left));
    } catch (error) {
      // Closed meanwhile: whoever asked tells all.
      onError(error);
    }
  };

  return {
    make: async ({ counts, text }) => {
      if (Date.now() < pausedUntil) return counts;
      const answer = await answers.to((reply) => nc.publish(subject, text(), { reply }));
      const left = answer === null ? undefined : parseLeft(answer, counts);
      if (left !== undefined) return left;
      pausedUntil = Date.now() + pauseMs;
      return counts;
    },
    take: async ({ onOffer, onReconnected }) => {
      if (onOffer === undefined) return () => undefined;
      const onMessage = (text: string, message: NatsMessage): void => {
        const left = onOffer(text);
        // Behind what the workers do now: they are what somebody waits for.
        setImmediate(() => respond(message, left));
      };
      try {
        return await subscribeLastingly(
          nc,
          subject,
          { onMessage, onReconnected, queue: subject },
          onError,
        );
      } catch (error) {
        onError(error);
        return () => undefined;
      }
    },
    stop: () => answers.stop(),
  };
};

interface Answers {
  /** Null: there was none in time, nobody to give one, or it is not permitted to ask. */
  to(ask: (reply: string) => void): Promise<NatsMessage | null>;
  stop(): void;
}

/** The client's own requests would do: but each makes a stack trace, and more, before it is sent. */
const createAnswers = (nc: NatsConnection, inbox: string): Answers => {
  const waiting = new Map<string, (answer: NatsMessage | null) => void>();
  let subscription: { unsubscribe(): void } | undefined;
  let askedCount = 0;
  const listen = (): void => {
    subscription ??= nc.subscribe(`${inbox}.*`, {
      callback: (error, message) => {
        if (error === null) return waiting.get(message.subject ?? "")?.(message);
        // Taken away: the next question subscribes again.
        subscription = undefined;
        for (const settle of [...waiting.values()]) settle(null);
      },
    });
  };
  return {
    to: (ask) =>
      new Promise((resolve) => {
        listen();
        askedCount += 1;
        const reply = `${inbox}.${askedCount}`;
        const settle = (answer: NatsMessage | null): void => {
          clearTimeout(timer);
          waiting.delete(reply);
          // The server's own answer when nobody has subscribed.
          resolve(answer?.headers?.code === 503 ? null : answer);
        };
        ask(reply);
        const timer = setTimeout(() => settle(null), answerTimeoutMs);
        waiting.set(reply, settle);
      }),
    stop: () => {
      if (subscription !== undefined && !nc.isClosed()) subscription.unsubscribe();
      subscription = undefined;
      for (const settle of [...waiting.values()]) settle(null);
    },
  };
};

const formatLeft = (left: readonly JobScheduledHint[]): string =>
  left.length === 0 ? "" : JSON.stringify(left.map(({ typeName, count }) => [typeName, count]));

/** Undefined: no answer of ours. */
const parseLeft = (
  { data }: NatsMessage,
  offered: readonly JobScheduledHint[],
): readonly JobScheduledHint[] | undefined => {
  if (data.length === 0) return [];
  const entries = parseArray(Buffer.from(data).toString());
  const left = entries?.flatMap((entry): readonly JobScheduledHint[] => {
    const [typeName, count]: readonly unknown[] = Array.isArray(entry) ? entry : [];
    return offered
      .filter(
        (one) =>
          one.typeName === typeName && Number.isSafeInteger(count) && isPart(Number(count), one),
      )
      .map((one) => ({ ...one, count: Number(count) }));
  });
  return left?.length === entries?.length ? left : undefined;
};

const isPart = (part: number, { count }: JobScheduledHint): boolean => part > 0 && part <= count;

const parseArray = (text: string): readonly unknown[] | undefined => {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : undefined;
  } catch {
    // Not ours.
    return undefined;
  }
};
