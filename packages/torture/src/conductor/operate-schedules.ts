// Schedules of every overlap, with ticks every few seconds, while workers are killed and stand still. The conductor is their
// operator.
import { setTimeout as sleep } from "node:timers/promises";
import { createQueuert } from "queuert";
import type { StateTick } from "queuert/internal";
import type { LoadSchedule } from "../checker/control-history.ts";
import { errandLimits } from "../load/errand-types.ts";
import { jobTypes } from "../load/job-types.ts";
import { listTicks } from "../load/list-ticks.ts";
import { ScheduleKeeper, type WorkingSchedule } from "../load/schedule-keeper.ts";
import type { Random } from "../random.ts";
import type { OpenStore } from "../stores/store.ts";

const backfillMsMax = 15_000;

/** Between two actions of the operator, at most. */
const pauseMsMax = 3_000;

/** After the faults, a tick is fired in much less. */
const firedWithinMs = 60_000;

const overlaps = ["skip", "allow", "bufferOne", "cancelRunning"] as const;

const drawSchedules = (random: Random): readonly WorkingSchedule[] =>
  overlaps.map((overlap) => ({
    name: `often-${overlap}`,
    spec: { cron: null, timeZone: "UTC", everyMs: random.pick([1_500, 2_000, 3_500]) },
    catchUp: random.pick<LoadSchedule["catchUp"]>(["latest", "skip", { withinMs: 5_000 }]),
    ...{ overlap, graceMs: random.pick([300, 1_500]) },
    // Some take longer than the time between two ticks.
    workMs: random.pick([0, 500, 2_500]),
  }));

export interface Operated {
  readonly schedules: readonly LoadSchedule[];
  readonly ticks: readonly StateTick[];
}

export interface Operator {
  /** The store is as it was at that time. */
  rewound(to: number): void;
  /** After the faults: waits until the due ticks have been fired, and pauses all schedules. */
  end(patience: number): Promise<void>;
  /** After everything has ended. */
  seen(): Promise<Operated>;
}

export const operateSchedules = async (
  { state }: OpenStore,
  now: () => number,
  random: Random,
): Promise<Operator> => {
  const queuert = await createQueuert({
    ...{ stateAdapter: state, jobTypeDefinitions: jobTypes, limits: errandLimits },
    log: () => undefined,
  });
  const means = { queuert, now, sleep: (ms: number) => sleep(ms), onError: () => undefined };
  const keeper = new ScheduleKeeper(means, random, backfillMsMax);
  await keeper.store(drawSchedules(random));
  const ending = new AbortController();
  const acting = (async () => {
    while (!ending.signal.aborted) {
      await sleep(random.below(pauseMsMax));
      await keeper.act();
    }
  })();
  return {
    rewound: (to) => keeper.rewound(to),
    end: async (patience) => {
      ending.abort();
      await acting;
      await keeper.close();
      const closedAt = now();
      while (!(await keeper.hasFiredUntil(closedAt))) {
        // The checker then tells which ticks are missing.
        if (now() - closedAt > firedWithinMs * patience) break;
        await sleep(200);
      }
      await keeper.pauseAll();
      await queuert.close();
    },
    seen: async () => {
      const ticks: StateTick[] = [];
      for (const name of keeper.names) ticks.push(...(await listTicks(state, name)));
      return { schedules: keeper.schedules, ticks };
    },
  };
};
