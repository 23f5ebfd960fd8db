// Schedules as operators read them: in pages, and one with its ticks.
import { assertKnownOptions } from "../model/assert-known-options.ts";
import { assertName, assertObject } from "../model/assert-option.ts";
import type { ScheduleMethods, ScheduleTiming } from "../public-types/schedules.ts";
import { type OperatorCore, readNow } from "./operator-core.ts";
import type { Operator } from "./operator-types.ts";
import { previewBackfill } from "./plans/plan-backfill.ts";
import { toScheduleView } from "./views/schedule-view.ts";

/** Ticks that one schedule is shown with. */
const nextMax = 10;
const lastMax = 20;

type Client = Pick<
  ScheduleMethods<object, object, string>,
  "listSchedules" | "listScheduleTicks" | "previewSchedule"
>;

export const createScheduleReads = (
  core: OperatorCore,
  queuert: object,
): Pick<Operator, "listSchedules" | "getSchedule" | "previewSchedule" | "previewBackfill"> => {
  const { engine, slots } = core;
  // The client has the types of its user; schedules are read by name.
  const client = queuert as unknown as Client;
  return {
    listSchedules: async (given = {}) => {
      assertObject(given, "options");
      const { payloads, ...page } = given;
      const viewer = core.viewer(payloads);
      const { items, nextCursor } = await slots.run(() => client.listSchedules(page));
      return { items: items.map((each) => toScheduleView(engine.codec, each, viewer)), nextCursor };
    },

    getSchedule: async (given) => {
      assertObject(given, "options");
      assertKnownOptions(given, ["name", "payloads"]);
      const { name, payloads } = given;
      assertName(name, "name");
      const viewer = core.viewer(payloads);
      return slots.run(async () => {
        const [schedule] = (await client.listSchedules({ names: [name] })).items;
        if (schedule === undefined) return undefined;
        const { items: ticks } = await client.listScheduleTicks({ name, limit: lastMax });
        const { cron, everyMs, timeZone, anchor, nextAt, endsAt } = schedule;
        const timing: ScheduleTiming =
          cron === null ? { everyMs: everyMs ?? 0, anchor } : { cron, timeZone };
        // The tick that comes next is not always behind it: a job that waits for it is due already.
        const after =
          nextAt === null
            ? []
            : client.previewSchedule({ ...timing, from: nextAt, count: nextMax });
        const next = [...(nextAt === null ? [] : [nextAt]), ...after]
          .filter((at) => endsAt === null || at <= endsAt)
          .slice(0, nextMax);
        return { schedule: toScheduleView(engine.codec, schedule, viewer), next, ticks };
      });
    },

    previewBackfill: async (given) => {
      assertObject(given, "options");
      assertKnownOptions(given, ["name", "from", "to"]);
      return slots.run(async () => previewBackfill(engine, given, await readNow(core)));
    },

    previewSchedule: async (timing) => client.previewSchedule({ ...timing, count: nextMax }),
  };
};
