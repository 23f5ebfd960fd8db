// One clock for all ages on the page: the store's, as of the last answer. It ticks each second, and not in a hidden tab.
import { type ReadonlySignal, signal } from "@preact/signals";

let offsetMs = 0;
const ticking = signal(Date.now());

/** The store's time in milliseconds. */
export const now: ReadonlySignal<number> = ticking;

export const storeNow = (): number => Date.now() + offsetMs;

/** Takes over the store's time from an answer. */
export const setStoreTime = (at: string): void => {
  const time = Date.parse(at);
  if (Number.isNaN(time)) return;
  offsetMs = time - Date.now();
};

export const startClock = (): void => {
  const tick = (): void => {
    if (!document.hidden) ticking.value = storeNow();
  };
  setInterval(tick, 1_000);
  document.addEventListener("visibilitychange", tick);
};
