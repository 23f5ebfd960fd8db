// Waiting until the store says that everything is done.
import { setTimeout as sleep } from "node:timers/promises";
import { type Inspector, nowMs } from "../participants/participant.ts";
import type { MeasuredProcess } from "../run/measured-process.ts";

const pollMs = 2;
const idlePollMs = 250;
// The store is only asked often when the handlers say that the end is near: asking costs it something.
const nearEnd = 0.9;

export interface Draining {
  readonly inspector: Inspector;
  readonly processes: readonly MeasuredProcess[];
  /** Handlers that will have run, those from before included. */
  readonly runCount: number;
  readonly limitMs: number;
  /** Jobs become pending again, so a look may miss those between two of its statements: all have to have run, too. */
  readonly mustRunAll?: boolean;
}

/** Answers when it was drained, as the store says, or the moment at which patience ended. */
export const waitUntilDrained = async (draining: Draining): Promise<number> => {
  const { inspector, processes, runCount, limitMs, mustRunAll = false } = draining;
  const begunAt = nowMs();
  let askedAt = begunAt;
  for (;;) {
    const ran = processes.reduce((sum, process) => sum + process.ran(), 0);
    const isDue = ran >= runCount * nearEnd || nowMs() - askedAt > idlePollMs;
    if (isDue) {
      askedAt = nowMs();
      const drainedAt = await inspector.drainedAt();
      if (drainedAt !== undefined && (!mustRunAll || ran >= runCount)) return drainedAt;
      if (nowMs() - begunAt > limitMs) return nowMs();
    }
    await sleep(pollMs);
  }
};
