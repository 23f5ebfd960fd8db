import { describe, expectTypeOf, it } from "vitest";
import { defineSchedules } from "../../src/index.ts";
import type { JobTypes } from "../../src/job-types/define-job-types.ts";
import type { JobTick } from "../../src/model/tick.ts";
import type { DeclaredSchedules } from "../../src/queuert-types.ts";
import { client, id, queuert } from "./fixtures.ts";
import type { Definitions, JobId } from "./fixtures.ts";

declare const jobTypes: JobTypes<Definitions>;

describe("upsertSchedules", () => {
  it("takes the input of each type, with or without a context", async () => {
    const [schedule] = await queuert.upsertSchedules({
      schedules: [
        {
          ...{ name: "nightly", typeName: "send", input: { to: "a@b", at: new Date() } },
          ...{ cron: "30 2 * * *", timeZone: "Europe/Berlin", catchUp: { withinMs: 1 } },
        },
        { name: "often", typeName: "order", input: { orderId: 1 }, everyMs: 60_000 },
      ],
    });
    expectTypeOf(schedule?.typeName).toExtend<keyof Definitions | undefined>();
    expectTypeOf(schedule?.nextAt).toEqualTypeOf<Date | null | undefined>();
    await queuert.upsertSchedules({ client, schedules: [] });
  });

  it("refuses a wrong input, a wrong name, and two timings", async () => {
    await queuert.upsertSchedules({
      // @ts-expect-error the input is that of the type
      schedules: [{ name: "a", typeName: "order", input: { orderId: "1" }, cron: "@daily" }],
    });
    await queuert.upsertSchedules({
      // @ts-expect-error no such type
      schedules: [{ name: "a", typeName: "ordr", input: {}, cron: "@daily" }],
    });
    await queuert.upsertSchedules({
      schedules: [
        // @ts-expect-error a cron expression or an interval
        { name: "a", typeName: "order", input: { orderId: 1 }, cron: "@daily", everyMs: 1_000 },
      ],
    });
    await queuert.upsertSchedules({
      // @ts-expect-error when?
      schedules: [{ name: "a", typeName: "order", input: { orderId: 1 } }],
    });
  });
});

describe("defineSchedules", () => {
  it("checks each schedule against its type", () => {
    const schedules = defineSchedules(jobTypes, {
      a: { typeName: "order", input: { orderId: 1 }, cron: "@daily" },
      b: { typeName: "send", input: { to: "a@b", at: new Date() }, everyMs: 1_000 },
    });
    expectTypeOf(schedules).toEqualTypeOf<DeclaredSchedules<Definitions>>();
    defineSchedules(jobTypes, {
      // @ts-expect-error the input is that of the type
      a: { typeName: "order", input: { orderId: "1" }, cron: "@daily" },
    });
  });
});

describe("ticks", () => {
  it("have the ids of the store, and jobs their tick", async () => {
    const [tick] = await queuert.triggerSchedules({ client, names: ["a"], overlap: "allow" });
    expectTypeOf(tick?.sequenceId).toEqualTypeOf<JobId | null | undefined>();
    const { items } = await queuert.listScheduleTicks({ name: "a" });
    expectTypeOf(items[0]?.outcome).toEqualTypeOf<
      "started" | "skipped" | "buffered" | "missed" | "deduplicated" | undefined
    >();
    const job = await queuert.getJob({ id });
    expectTypeOf(job?.tick).toEqualTypeOf<JobTick | null | undefined>();
    expectTypeOf(queuert.previewSchedule({ cron: "@daily" })).toEqualTypeOf<readonly Date[]>();
  });
});
