import type { AnyStateAdapter } from "queuert";
import type { StateTick } from "queuert/internal";

/** Every tick of a schedule, oldest first. */
export const listTicks = async (
  store: AnyStateAdapter,
  name: string,
): Promise<readonly StateTick[]> => {
  const ticks: StateTick[] = [];
  for (;;) {
    const last = ticks.at(-1);
    const page = await store.listScheduleTicks({
      ...{ scheduleName: name, from: null, to: null, order: "asc", limit: 500 },
      after: last === undefined ? null : { tickAt: last.tickAt, isManual: last.kind === "manual" },
    });
    ticks.push(...page);
    if (page.length < 500) return ticks;
  }
};
