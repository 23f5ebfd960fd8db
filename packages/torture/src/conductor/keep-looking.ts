import { setTimeout as sleep } from "node:timers/promises";

export interface Looking {
  readonly stop: () => Promise<void>;
  /** While the server is away nothing is seen: how often that was, and the last reason. */
  readonly blind: () => { readonly times: number; readonly because: string };
}

/** Looks into the store again and again until it is stopped. */
export const keepLooking = (look: () => Promise<void>, intervalMs: number): Looking => {
  const stopping = new AbortController();
  let times = 0;
  let because = "";
  const looking = (async () => {
    while (!stopping.signal.aborted) {
      try {
        await look();
      } catch (error) {
        times++;
        because = String(error);
      }
      await sleep(intervalMs);
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return looking;
    },
    blind: () => ({ times, because }),
  };
};
