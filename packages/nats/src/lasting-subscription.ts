// A subscription that is made again when the server takes it away. The client does that after a reconnection, but not for a
// subscription that was refused: when permissions change, by a reload or at a reconnection, it is closed for good.
import type { NatsConnection, NatsMessage } from "./nats-connection.ts";

export interface LastingSubscriber {
  readonly onMessage: (text: string, message: NatsMessage) => void;
  readonly onReconnected: () => void;
  /** Of those who name the same one, a single one is given each message. */
  readonly queue?: string;
}

const delayMinMs = 100;
const delayMaxMs = 5_000;

/** Resolves when the subscription is active, to what ends it. Rejects when it is refused at first. */
export const subscribeLastingly = async (
  nc: NatsConnection,
  subject: string,
  { onReconnected, ...heard }: LastingSubscriber,
  /** Told why it was taken away, or could not be made again. */
  onError: (error: unknown) => void,
): Promise<() => void> => {
  let end: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isWanted = true;

  const open = (): Promise<() => void> =>
    subscribe(nc, subject, heard, (error) => {
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
    // A connection that was closed does not come back.
    if (!isWanted || nc.isClosed()) return;
    clearTimeout(timer);
    timer = setTimeout(() => void retry(delayMs), delayMs);
    // The connection itself decides for how long the process stays.
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
  /** It was active, and has been taken away. */
  onRefused: (error: Error) => void,
): Promise<() => void> => {
  let refused: Error | undefined;
  let isActive = false;
  const subscription = nc.subscribe(subject, {
    ...(queue !== undefined && { queue }),
    callback: (error, message) => {
      if (error === null) {
        onMessage(Buffer.from(message.data).toString(), message);
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
    // A refusal arrives before the answer to this.
    await nc.flush();
    if (refused !== undefined) throw refused;
    isActive = true;
    return end;
  } catch (error) {
    end();
    throw error;
  }
};
