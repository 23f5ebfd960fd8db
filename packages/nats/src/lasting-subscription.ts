// A subscription that is made again when the server ends it. The client subscribes again after a reconnection, but not
// after a refusal: a change of permissions closes the subscription for good.
import type { NatsConnection, NatsMessage } from "./nats-connection.ts";

export interface LastingSubscriber {
  readonly onMessage: (text: string, message: NatsMessage) => void;
  readonly onReconnected: () => void;
  /** Each message is given to one of the subscriptions of the same queue. */
  readonly queue?: string;
}

const textBytesMax = 4 * 65_537;
const delayMinMs = 100;
const delayMaxMs = 5_000;

/** Resolves when the subscription is active, to a function that ends it. Rejects when it is refused at first. */
export const subscribeLastingly = async (
  nc: NatsConnection,
  subject: string,
  { onReconnected, ...subscriber }: LastingSubscriber,
  /** Receives the reason why it was ended, or could not be made again. */
  onError: (error: unknown) => void,
): Promise<() => void> => {
  let end: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isWanted = true;

  const open = (): Promise<() => void> =>
    subscribe(nc, subject, subscriber, (error) => {
      onError(error);
      retryLater(delayMinMs);
    });
  const retry = async (delayMs: number): Promise<void> => {
    try {
      const opened = await open();
      if (!isWanted) return opened();
      end = opened;
      onReconnected();
    } catch (error) {
      onError(error);
      retryLater(Math.min(delayMs * 2, delayMaxMs));
    }
  };
  const retryLater = (delayMs: number): void => {
    end = undefined;
    // A closed connection does not come back.
    if (!isWanted || nc.isClosed()) return;
    clearTimeout(timer);
    timer = setTimeout(() => void retry(delayMs), delayMs);
    // The connection, not this timer, keeps the process alive.
    timer.unref();
  };

  end = await open();
  return () => {
    isWanted = false;
    clearTimeout(timer);
    end?.();
  };
};

const subscribe = async (
  nc: NatsConnection,
  subject: string,
  { onMessage, queue }: Omit<LastingSubscriber, "onReconnected">,
  /** The server has ended an active subscription. */
  onRefused: (error: Error) => void,
): Promise<() => void> => {
  let refused: Error | undefined;
  let isActive = false;
  const subscription = nc.subscribe(subject, {
    ...(queue !== undefined && { queue }),
    callback: (error, message) => {
      if (error === null) {
        // A longer text is dropped by its length, so the rest of it is not decoded.
        const bytes = Buffer.from(message.data).subarray(0, textBytesMax);
        onMessage(bytes.toString(), message);
      } else {
        refused = error;
        if (isActive) onRefused(error);
      }
    },
  });
  const end = (): void => {
    if (!nc.isClosed()) subscription.unsubscribe();
  };
  try {
    // A refusal arrives before the reply to this.
    await nc.flush();
    if (refused !== undefined) throw refused;
    isActive = true;
    return end;
  } catch (error) {
    end();
    throw error;
  }
};
