import { sleep } from "../waiting.ts";

/** The rejections without a handler while the callback ran, and right after. */
export const unhandledDuring = async (callback: () => Promise<unknown>): Promise<unknown[]> => {
  const unhandled: unknown[] = [];
  const remember = (reason: unknown): void => void unhandled.push(reason);
  process.on("unhandledRejection", remember);
  try {
    await callback();
    // They are told when the microtasks have run dry.
    await sleep(0);
    return unhandled;
  } finally {
    process.off("unhandledRejection", remember);
  }
};
