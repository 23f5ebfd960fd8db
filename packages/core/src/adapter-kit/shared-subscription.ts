// Many listeners, one subscription: made for the first, ended with the last.
// Making and ending are steps of one queue, and each looks at the number of holders when its turn comes. So a
// listener that arrives while the last one leaves neither loses its subscription nor makes a second one.
import { withinTime } from "./within-time.ts";

type End = () => Promise<void>;

export interface SharedSubscription {
  /** Resolves when the subscription is active, to what lets go of it. Rejects when it cannot be made. */
  hold(): Promise<End>;
  /** Ends the subscription whoever still holds it. */
  close(): Promise<void>;
}

export interface SharedSubscriptionOptions {
  readonly subscribe: () => Promise<End>;
  readonly timeoutMs: number;
  /** Ending failed, most likely with the connection: there is nothing left to end, so it only is reported. */
  readonly onEndFailed: (error: unknown) => void;
}

export const createSharedSubscription = ({
  subscribe,
  timeoutMs,
  onEndFailed,
}: SharedSubscriptionOptions): SharedSubscription => {
  let holders = 0;
  let closed = false;
  let active: End | undefined;
  let queue: Promise<void> = Promise.resolve();

  const end = async (running: End): Promise<void> => {
    try {
      await withinTime(running(), timeoutMs, "Ending a subscription");
    } catch (error) {
      onEndFailed(error);
    }
  };

  const start = async (): Promise<End> => {
    const attempt = subscribe();
    try {
      return await withinTime(attempt, timeoutMs, "Subscribing");
    } catch (error) {
      // If it only came too late, nobody would ever end it.
      attempt.then(end, () => undefined);
      throw error;
    }
  };

  const step = async (): Promise<void> => {
    const wanted = holders > 0 && !closed;
    if (wanted && active === undefined) {
      active = await start();
    } else if (!wanted && active !== undefined) {
      const running = active;
      active = undefined;
      await end(running);
    }
  };

  const reconcile = (): Promise<void> => {
    const turn = queue.then(step);
    // The caller that waits for the turn has the error; the next turn must run all the same.
    queue = turn.catch(() => undefined);
    return turn;
  };

  return {
    hold: async () => {
      if (closed) throw new Error("The notify adapter is closed.");
      holders += 1;
      let held = true;
      const letGo = (): Promise<void> => {
        if (held) holders -= 1;
        held = false;
        return reconcile();
      };
      try {
        await reconcile();
      } catch (error) {
        held = false;
        holders -= 1;
        throw error;
      }
      return letGo;
    },
    close: () => {
      closed = true;
      return reconcile();
    },
  };
};
