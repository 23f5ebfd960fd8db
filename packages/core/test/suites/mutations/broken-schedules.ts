// How schedules go wrong.
import type { StateSchedule } from "../../../src/adapters/state-adapter-schedules.ts";
import type { Breakers } from "./breaker.ts";

export const brokenSchedules: Breakers<
  | "nextScheduleInMs"
  | "takeDueSchedules"
  | "lockSchedules"
  | "writeSchedules"
  | "deleteSchedules"
  | "listSchedules"
  | "recordTicks"
  | "listScheduleTicks"
  | "deleteScheduleTicks"
> = {
  nextScheduleInMs: {
    "a due schedule is looked at a second later": (good) => ({
      ...good,
      nextScheduleInMs: async () => {
        const inMs = await good.nextScheduleInMs();
        return inMs === 0 ? 1_000 : inMs;
      },
    }),
    "a paused schedule is due": (good) => ({
      ...good,
      nextScheduleInMs: async () => (await good.nextScheduleInMs()) ?? 0,
    }),
  },
  takeDueSchedules: {
    "schedules of the future are taken": (good) => ({
      ...good,
      takeDueSchedules: async (params) => {
        const { context, limit } = params;
        const { now } = await good.takeDueSchedules(params);
        const all = await good.listSchedules({
          ...{ context, names: null, isDeclared: null, afterName: null, limit },
        });
        return { now, schedules: all.filter(({ lookAt }) => lookAt !== null) };
      },
    }),
    "the order is that of the names": (good) => ({
      ...good,
      takeDueSchedules: async (params) => {
        const { now, schedules } = await good.takeDueSchedules(params);
        return { now, schedules: [...schedules].sort((a, b) => (a.name < b.name ? -1 : 1)) };
      },
    }),
    "a taken schedule is taken again from memory": (good) => {
      let last: readonly StateSchedule[] = [];
      return {
        ...good,
        takeDueSchedules: async (params) => {
          const taken = await good.takeDueSchedules(params);
          if (taken.schedules.length > 0) last = taken.schedules;
          return { ...taken, schedules: last.slice(0, params.limit) };
        },
      };
    },
  },
  lockSchedules: {
    "missing schedules are left out": (good) => ({
      ...good,
      lockSchedules: async (params) => {
        const { now, schedules } = await good.lockSchedules(params);
        return { now, schedules: schedules.filter((schedule) => schedule !== undefined) };
      },
    }),
    "a schedule is read before its lock": (good) => {
      const seen = new Map<string, StateSchedule>();
      return {
        ...good,
        lockSchedules: async (params) => {
          const { now, schedules } = await good.lockSchedules(params);
          for (const schedule of schedules) {
            if (schedule !== undefined && !seen.has(schedule.name)) {
              seen.set(schedule.name, schedule);
            }
          }
          return { now, schedules: params.names.map((name) => seen.get(name)) };
        },
      };
    },
  },
  writeSchedules: {
    "a new schedule replaces one of its name": (good) => ({
      ...good,
      writeSchedules: async (params) => {
        const { context } = params;
        const names = params.schedules.map(({ schedule }) => schedule.name);
        const { schedules: stored } = await good.lockSchedules({ context, names });
        return good.writeSchedules({
          context,
          schedules: params.schedules.map(({ schedule }, index) => ({
            schedule,
            isNew: stored[index] === undefined,
          })),
        });
      },
    }),
    "a pause keeps the look": (good) => ({
      ...good,
      writeSchedules: async (params) => {
        const { context } = params;
        const names = params.schedules.map(({ schedule }) => schedule.name);
        const { schedules: stored } = await good.lockSchedules({ context, names });
        return good.writeSchedules({
          context,
          schedules: params.schedules.map(({ schedule, isNew }, index) => ({
            schedule: { ...schedule, lookAt: schedule.lookAt ?? stored[index]?.lookAt ?? null },
            isNew,
          })),
        });
      },
    }),
  },
  deleteSchedules: {
    "every deletion has succeeded": (good) => ({
      ...good,
      deleteSchedules: async (params) =>
        (await good.deleteSchedules(params)).map(() => true as const),
    }),
  },
  listSchedules: {
    "a page begins with the last schedule of the page before": (good) => ({
      ...good,
      listSchedules: async (params) => {
        const { afterName, limit } = params;
        const all = await good.listSchedules({ ...params, afterName: null, limit: 1_000 });
        return all.filter(({ name }) => afterName === null || name >= afterName).slice(0, limit);
      },
    }),
    "declared schedules are listed with the others": (good) => ({
      ...good,
      listSchedules: (params) => good.listSchedules({ ...params, isDeclared: null }),
    }),
  },
  recordTicks: {
    "a tick that started is replaced": (good) => ({
      ...good,
      recordTicks: async (params) => (await good.recordTicks(params)).map(() => true as const),
    }),
    "manual ticks take the place of others": (good) => ({
      ...good,
      recordTicks: (params) =>
        good.recordTicks({
          ...params,
          ticks: params.ticks.map((tick) => ({
            ...tick,
            kind: tick.kind === "manual" ? "scheduled" : tick.kind,
          })),
        }),
    }),
  },
  listScheduleTicks: {
    "ticks know one order": (good) => ({
      ...good,
      listScheduleTicks: (params) => good.listScheduleTicks({ ...params, order: "asc" }),
    }),
    "the end of the range is inclusive": (good) => ({
      ...good,
      listScheduleTicks: (params) =>
        good.listScheduleTicks({
          ...params,
          to: params.to === null ? null : new Date(params.to.getTime() + 1),
        }),
    }),
  },
  deleteScheduleTicks: {
    "young ticks are deleted": (good) => ({
      ...good,
      deleteScheduleTicks: (params) => good.deleteScheduleTicks({ ...params, firedForMs: 0 }),
    }),
  },
};
