// Finds resources of this process that are still open after a stop or a close: timers, sockets,
// files, listeners.
import { sleep } from "./waiting.ts";

export interface LeakWatch {
  /**
   * Resolves as soon as no more is open than when the watch began. Otherwise rejects after a while
   * with the names of the open resources. The code under test must have closed everything by then.
   * Resources of other code in this process count too.
   */
  readonly expectNothingLeft: (withinMs?: number) => Promise<void>;
}

const processEvents = [
  "SIGINT",
  "SIGTERM",
  "SIGHUP",
  "beforeExit",
  "exit",
  "uncaughtException",
  "unhandledRejection",
  "warning",
] as const;

const countOpen = (): Map<string, number> => {
  const open = new Map<string, number>();
  for (const name of process.getActiveResourcesInfo()) open.set(name, (open.get(name) ?? 0) + 1);
  for (const event of processEvents) {
    open.set(`process.on("${event}")`, process.listenerCount(event));
  }
  return open;
};

const defaultWithinMs = 2_000;

/** Begins to watch. */
export const watchLeaks = (): LeakWatch => {
  const before = countOpen();
  const findLeft = (): string[] =>
    [...countOpen()].flatMap(([name, count]) => {
      const more = count - (before.get(name) ?? 0);
      return more > 0 ? [`${more} × ${name}`] : [];
    });
  return {
    expectNothingLeft: async (withinMs = defaultWithinMs) => {
      const giveUpAt = performance.now() + withinMs;
      let left = findLeft();
      while (left.length > 0 && performance.now() < giveUpAt) {
        await sleep(10);
        left = findLeft();
      }
      if (left.length > 0) throw new Error(`Left open: ${left.join(", ")}`);
    },
  };
};
