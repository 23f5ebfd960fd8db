// The few steps that most cases about schedules share.
import type { StateSchedule, StateTick } from "../adapters/state-adapter-schedules.ts";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";

/** A schedule that is not looked at. */
export const aSchedule = (overrides: Partial<StateSchedule> = {}): StateSchedule => ({
  name: "nightly",
  lookAt: null,
  isDeclared: false,
  definition: '{"typeName":"task"}',
  ...overrides,
});

/** An instant of the past, so that any store's clock is after it. */
export const past = (seconds = 0): Date => new Date(Date.UTC(2020, 0, 1) + seconds * 1_000);

export const aTick = (overrides: Partial<StateTick> = {}): StateTick => ({
  scheduleName: "nightly",
  tickAt: past(),
  kind: "scheduled",
  outcome: "started",
  sequenceId: null,
  firedAt: past(1),
  ...overrides,
});

/** Stores new schedules, in a transaction of their own. */
export const storeSchedules = async (
  adapter: AnyStateAdapter,
  ...schedules: readonly Partial<StateSchedule>[]
): Promise<readonly StateSchedule[]> => {
  const stored = schedules.map(aSchedule);
  const written = await adapter.runInTransaction((context) =>
    adapter.writeSchedules({
      context,
      schedules: stored.map((schedule) => ({ schedule, isNew: true })),
    }),
  );
  if (written.includes(false)) throw new Error("A name was taken already");
  return stored;
};

/** Every schedule, by name. */
export const listAll = (adapter: AnyStateAdapter): Promise<readonly StateSchedule[]> =>
  adapter.listSchedules({ names: null, isDeclared: null, afterName: null, limit: 1_000 });

/** Every tick of a schedule, oldest first. */
export const listTicks = (
  adapter: AnyStateAdapter,
  scheduleName = "nightly",
): Promise<readonly StateTick[]> =>
  adapter.listScheduleTicks({
    ...{ scheduleName, from: null, to: null, after: null, order: "asc", limit: 1_000 },
  });
