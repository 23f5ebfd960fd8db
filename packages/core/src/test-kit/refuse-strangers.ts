// A store in which another process works is not a test's: its jobs would all become due.
import { lateFactor } from "../adapters/operator-store.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import { isProvenGone, ownProcess } from "../worker/process-identity.ts";
import { TimeTravelError } from "./errors.ts";

/** Throws if a worker of another process has reported to the store of late. */
export const refuseStrangers = async ({ operator }: AnyStateAdapter): Promise<void> => {
  const [workers = [], now] = await Promise.all([
    operator?.listWorkers?.(),
    operator?.readClock?.(),
  ]);
  const here = ownProcess();
  const stranger = workers.find((worker) => {
    const { state, beatAt, beatMs, host, pid } = worker;
    if (state === "stopped" || (host === here.host && pid === here.pid)) return false;
    const isLate = (now ?? new Date()).getTime() - beatAt.getTime() > beatMs * lateFactor;
    return !isLate && !isProvenGone(worker);
  });
  if (stranger === undefined) return;
  throw new TimeTravelError(
    `worker "${stranger.workerId}" of another process, ${stranger.pid} on ${stranger.host}, uses the store: ` +
      "give each test file a store of its own",
  );
};
