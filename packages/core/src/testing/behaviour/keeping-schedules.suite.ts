import { expect } from "vitest";
import { InvalidScheduleError, ScheduleNotFoundError, TooManyTicksError } from "../../errors.ts";
import { defineSchedules } from "../../schedules/define-schedules.ts";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { behaviourJobTypes } from "./definitions.ts";
import { countStatements } from "./intercept-state.ts";
import { rejection } from "./rejection.ts";
import {
  countOutcomes,
  history,
  hourMs,
  lastHour,
  minuteMs,
  redefine,
  sleepSince,
  untilTicks,
} from "./schedule-clock.ts";
import { eventually } from "../waiting.ts";
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";

const hourly = { name: "hourly", typeName: "task", input: null, cron: "0 * * * *" } as const;
const onTime = { overlap: "allow", graceMs: 10 * 24 * hourMs } as const;

const upsert = (client: BehaviourClient, ...schedules: readonly object[]) =>
  client.transact((context) =>
    // The cases also give wrong options. Type tests cover the compiler's checks.
    client.queuert.upsertSchedules({ ...context, schedules: schedules as never }),
  );

const names = ["hourly"];

const stored = async ({ queuert }: BehaviourClient) => {
  const { items } = await queuert.listSchedules({ names });
  const [schedule] = items;
  if (schedule === undefined) throw new Error("The schedule is not there");
  return schedule;
};

/** Its next instant is after this one. */
const untilFired = (client: BehaviourClient, at: Date) =>
  eventually(async () => {
    const { nextAt } = await stored(client);
    return nextAt !== null && nextAt > at ? true : undefined;
  }, "the firing");

const work = (client: BehaviourClient) =>
  client.work({ task: async ({ complete }) => complete(null) });

export const keepingSchedulesSuite: BehaviourSuite = defineBehaviourSuite(
  "keeping schedules",
  (rule) => {
    rule("a schedule is stored with its defaults, and ticks after now", async ({ open }) => {
      const client = await open();
      const before = Date.now();
      const [schedule] = await upsert(client, { ...hourly, timeZone: "Asia/Kolkata" });
      expect(schedule).toMatchObject({
        ...{ name: "hourly", typeName: "task", cron: "0 * * * *", timeZone: "Asia/Kolkata" },
        ...{ overlap: "skip", catchUp: "latest", graceMs: 60_000, jitterMs: 0, priority: 0 },
        ...{ everyMs: null, startsAt: null, endsAt: null, isDeclared: false, revision: null },
        ...{ pausedAt: null, pauseNote: null, lastTickAt: null, lastError: null },
      });
      // India is half an hour from the full hour of UTC.
      expect((schedule?.nextAt?.getTime() ?? 0) % hourMs).toBe(30 * minuteMs);
      expect(schedule?.nextAt?.getTime()).toBeGreaterThan(before - minuteMs);
      expect(await stored(client)).toEqual(schedule);
    });

    rule("a schedule is stored and deleted with the transaction of its context", async (test) => {
      const client = await test.open();
      const { queuert } = client;
      const rolledBack = queuert.transaction(async (context) => {
        await queuert.upsertSchedules({ ...context, schedules: [hourly] });
        expect((await queuert.listSchedules({ ...context })).items).toHaveLength(1);
        throw new Error("rolled back on purpose");
      });
      await rejection(rolledBack);
      expect((await queuert.listSchedules()).items).toEqual([]);
      // Without a context it commits by itself.
      await queuert.upsertSchedules({ schedules: [hourly] });
      const deleted = await client.transact((context) =>
        queuert.deleteSchedules({ ...context, names: ["absent", "hourly"] }),
      );
      expect(deleted).toEqual(["hourly"]);
      expect((await queuert.listSchedules()).items).toEqual([]);
    });

    rule(
      "a change of the timing fires the instants that are due, then counts from now",
      async (test) => {
        const client = await test.open();
        await upsert(client, { ...hourly, ...onTime });
        await sleepSince(test.stateAdapter, "hourly", new Date(lastHour().getTime() - 2 * hourMs));
        const [schedule] = await upsert(client, { ...hourly, ...onTime, cron: "0 0 1 1 *" });
        expect(countOutcomes(await history(client, "hourly"))).toEqual({ started: 3 });
        expect(schedule?.nextAt?.getUTCMonth()).toBe(0);
        expect(schedule?.lastTickAt).toEqual(lastHour());
      },
    );

    rule("another change keeps the next tick and the pause", async (test) => {
      const client = await test.open();
      const { queuert } = client;
      await upsert(client, hourly);
      const at = lastHour();
      await queuert.pauseSchedules({ names, note: "a migration" });
      await redefine(test.stateAdapter, "hourly", (one) => ({ ...one, nextAt: at.getTime() }));
      const [schedule] = await upsert(client, { ...hourly, input: "other", priority: 3 });
      expect(schedule).toMatchObject({ input: "other", priority: 3, nextAt: at });
      expect(schedule).toMatchObject({ pauseNote: "a migration", pausedAt: expect.any(Date) });
      expect(await history(client, "hourly")).toEqual([]);
    });

    rule("a paused schedule does not tick, and is resumed from now", async (test) => {
      const client = await test.open();
      const { queuert } = client;
      await upsert(client, { ...hourly, ...onTime }, { ...hourly, ...onTime, name: "other" });
      await queuert.pauseSchedules({ names });
      for (const name of ["hourly", "other"]) {
        await sleepSince(test.stateAdapter, name, new Date(lastHour().getTime() - 2 * hourMs));
      }
      await work(client);
      await untilTicks(client, "other", 3);
      expect(await history(client, "hourly")).toEqual([]);
      const [resumed] = await queuert.resumeSchedules({ names });
      expect(resumed).toMatchObject({ pausedAt: null, pauseNote: null });
      expect(resumed?.nextAt?.getTime()).toBe(lastHour().getTime() + hourMs);
      expect(await history(client, "hourly")).toEqual([]);
    });

    rule("a resumption can catch up on the ticks of the pause", async (test) => {
      const client = await test.open();
      const { queuert } = client;
      await upsert(client, { ...hourly, overlap: "allow", graceMs: 0, catchUp: "skip" });
      await queuert.pauseSchedules({ names });
      await sleepSince(test.stateAdapter, "hourly", new Date(lastHour().getTime() - 5 * hourMs));
      await work(client);
      await queuert.resumeSchedules({ names, catchUp: { withinMs: 4 * hourMs - 1 } });
      const ticks = await untilTicks(client, "hourly", 6);
      expect(countOutcomes(ticks.slice(0, 2))).toEqual({ missed: 2 });
      expect(ticks.at(-1)?.outcome).toBe("started");
    });

    rule("a trigger ticks now, paused or not, each time", async ({ open }) => {
      const client = await open();
      const { queuert } = client;
      await upsert(client, { ...hourly, overlap: "allow" });
      await queuert.pauseSchedules({ names });
      const ticks = await client.transact((context) =>
        queuert.triggerSchedules({ ...context, names: ["hourly", "hourly", "hourly"] }),
      );
      expect(ticks).toMatchObject(
        [1, 2, 3].map(() => ({ schedule: "hourly", kind: "manual", outcome: "started" })),
      );
      expect(new Set(ticks.map(({ at }) => at.getTime())).size).toBe(3);
      const job = await client.job({ id: ticks[0]?.sequenceId ?? "" });
      expect(job.tick).toEqual({ schedule: "hourly", at: ticks[0]?.at, kind: "manual" });
      expect(await history(client, "hourly")).toEqual(ticks);
    });

    rule("a trigger follows the overlap, unless one is given", async ({ open }) => {
      const client = await open();
      const { queuert } = client;
      await upsert(client, hourly);
      const trigger = async (options: object = {}) => {
        const [tick] = await client.transact((context) =>
          queuert.triggerSchedules({ ...context, names, ...options }),
        );
        return tick?.outcome;
      };
      expect(await trigger()).toBe("started");
      expect(await trigger()).toBe("skipped");
      expect(await trigger({ overlap: "allow" })).toBe("started");
      expect(await trigger({ overlap: "bufferOne" })).toBe("buffered");
      expect(await trigger({ overlap: "bufferOne" })).toBe("skipped");
      expect((await stored(client)).bufferedAt).not.toBeNull();
    });

    rule("a backfill starts the instants that have not started, once", async (test) => {
      const client = await test.open();
      const { queuert } = client;
      await upsert(client, { ...hourly, graceMs: 0, catchUp: "latest" });
      const to = lastHour();
      await sleepSince(test.stateAdapter, "hourly", new Date(to.getTime() - 3 * hourMs));
      const worker = await work(client);
      await untilTicks(client, "hourly", 4);
      await worker.stop();
      const from = new Date(to.getTime() - 10 * hourMs);
      const backfill = () =>
        client.transact((context) =>
          queuert.backfillSchedule({ ...context, name: "hourly", from, to }),
        );
      // Three of the ten were missed. The instant at `to` is not in the range.
      expect(await backfill()).toEqual({ startedCount: 10 });
      expect(await backfill()).toEqual({ startedCount: 0 });
      const ticks = await history(client, "hourly");
      expect(ticks.map(({ at }) => at.getTime())).toEqual(
        Array.from({ length: 11 }, (_, index) => from.getTime() + index * hourMs),
      );
      expect(countOutcomes(ticks)).toEqual({ started: 11 });
      expect(new Set(ticks.map(({ sequenceId }) => sequenceId)).size).toBe(11);
    });

    rule("an instant that was backfilled before its firing starts once", async (test) => {
      const client = await test.open();
      const { queuert } = client;
      await upsert(client, { ...hourly, ...onTime });
      await queuert.pauseSchedules({ names });
      const at = lastHour();
      await redefine(test.stateAdapter, "hourly", (one) => ({ ...one, nextAt: at.getTime() }));
      const to = new Date(at.getTime() + 1);
      const { startedCount } = await client.transact((context) =>
        queuert.backfillSchedule({ ...context, name: "hourly", from: at, to }),
      );
      expect(startedCount).toBe(1);
      await work(client);
      await queuert.resumeSchedules({ names, catchUp: "latest" });
      await untilFired(client, at);
      const { items } = await queuert.listJobSequences({ typeName: "task" });
      expect(items).toHaveLength(1);
      expect(await history(client, "hourly")).toMatchObject([{ kind: "backfill", at }]);
    });

    rule(
      "a catch-up leaves out what a backfill has handled, and starts the others",
      async (test) => {
        const client = await test.open();
        const { queuert } = client;
        const withinMs = 100 * hourMs;
        await upsert(client, { ...hourly, ...onTime, overlap: "skip", catchUp: { withinMs } });
        await queuert.pauseSchedules({ names });
        const to = lastHour();
        const hoursAgo = (hours: number): number => to.getTime() - hours * hourMs;
        const [first, second] = [hoursAgo(4), hoursAgo(3)];
        await redefine(test.stateAdapter, "hourly", (one) => ({ ...one, nextAt: first }));
        // The first is started, the second skipped beside it. The sequence ends before the pause does.
        await client.transact((context) =>
          queuert.backfillSchedule({
            ...{ ...context, name: "hourly", overlap: "skip" },
            ...{ from: new Date(first), to: new Date(second + 1) },
          }),
        );
        await work(client);
        const [sequence] = (await queuert.listJobSequences({ typeName: "task" })).items;
        await client.until({ id: sequence?.id ?? "" });
        await queuert.resumeSchedules({ names, catchUp: { withinMs } });
        await untilFired(client, to);
        const ticks = await history(client, "hourly");
        expect(ticks.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
          ...["backfill started", "backfill skipped"],
          ...["scheduled started", "scheduled skipped", "scheduled skipped"],
        ]);
        // Each started tick has its sequence, and no sequence is without a tick.
        const { items } = await queuert.listJobSequences({ typeName: "task" });
        expect(items.map(({ id }) => id).toSorted()).toEqual(
          ticks.flatMap(({ sequenceId }) => sequenceId ?? []).toSorted(),
        );
      },
    );

    rule("a backfill refuses the future, and too many instants", async ({ open }) => {
      const client = await open();
      const { queuert } = client;
      await upsert(client, { ...hourly, cron: "* * * * *" });
      const backfill = (from: Date, to: Date) =>
        rejection(queuert.backfillSchedule({ name: "hourly", from, to }));
      const [from, to] = [new Date(2_020, 0), new Date(2_021, 0)];
      expect(await backfill(from, to)).toBeInstanceOf(TooManyTicksError);
      const future = new Date(Date.now() + hourMs);
      expect(await backfill(from, future)).toMatchObject({ option: "to" });
      expect(await history(client, "hourly")).toEqual([]);
    });

    rule("lists are read in pages, with opaque cursors", async ({ open }) => {
      const client = await open();
      const { queuert } = client;
      const five = ["a", "b", "c", "d", "e"];
      await upsert(client, ...five.map((name) => ({ ...hourly, overlap: "allow", name })));
      const first = await queuert.listSchedules({ limit: 2 });
      const rest = await queuert.listSchedules({ limit: 10, cursor: first.nextCursor });
      expect([...first.items, ...rest.items].map(({ name }) => name)).toEqual(five);
      expect(rest.nextCursor).toBeNull();
      const ticks = await client.transact((context) =>
        queuert.triggerSchedules({ ...context, names: ["a", "a", "a"] }),
      );
      const newest = await queuert.listScheduleTicks({ name: "a", limit: 2 });
      const oldest = await queuert.listScheduleTicks({ name: "a", cursor: newest.nextCursor });
      expect([...newest.items, ...oldest.items]).toEqual([...ticks].reverse());
      const wrong = { code: "QUEUERT_INVALID_CURSOR" };
      const { nextCursor: cursor } = newest;
      expect(await rejection(queuert.listSchedules({ cursor }))).toMatchObject(wrong);
      const other = queuert.listScheduleTicks({ name: "a", order: "asc", cursor });
      expect(await rejection(other)).toMatchObject(wrong);
      expect(await rejection(queuert.listSchedules({ cursor: "?" }))).toMatchObject(wrong);
    });

    rule("a preview needs no store", async ({ open }) => {
      const { queuert } = await open();
      const from = new Date("2026-03-07T12:00:00Z");
      const next = queuert.previewSchedule({
        ...{ cron: "30 2 * * *", timeZone: "America/New_York", count: 2, from },
      });
      expect(next).toEqual([new Date("2026-03-08T07:00:00Z"), new Date("2026-03-09T06:30:00Z")]);
      expect(queuert.previewSchedule({ everyMs: 60_000 })).toHaveLength(10);
    });

    rule("a schedule that is not there is named, and nothing is written", async ({ open }) => {
      const client = await open();
      const { queuert } = client;
      await upsert(client, hourly);
      const both = ["hourly", "absent"];
      for (const call of [
        () => queuert.pauseSchedules({ names: both }),
        () => queuert.resumeSchedules({ names: both }),
        () => queuert.triggerSchedules({ names: both }),
        () => queuert.backfillSchedule({ name: "absent", from: new Date(0), to: new Date(1) }),
      ]) {
        const error = await rejection(call());
        expect(error).toBeInstanceOf(ScheduleNotFoundError);
        expect(error).toMatchObject({ code: "QUEUERT_SCHEDULE_NOT_FOUND", schedule: "absent" });
      }
      expect((await stored(client)).pausedAt).toBeNull();
      expect(await history(client, "hourly")).toEqual([]);
    });

    const wrong: readonly (readonly [string, object])[] = [
      ["cron", { cron: "0 25 * * *" }],
      ["cron", { cron: "0 0 31 2 *" }],
      ["cron", { cron: "0 0 30,31 2 *" }],
      ["cron", { cron: "* * * *" }],
      ["cron", { cron: "0 0 L * *" }],
      ["cron", { cron: "0 0 ? * 1" }],
      ["cron", { cron: "*/0 * * * *" }],
      ["cron", { cron: "5-1 * * * *" }],
      ["cron", { cron: "0 0 * * mon#2" }],
      ["cron", { cron: 5 }],
      ["cron", { cron: undefined }],
      ["cron", { everyMs: 1_000 }],
      ["timeZone", { timeZone: "Europe/Belin" }],
      ["timeZone", { timeZone: "" }],
      ["timeZone", { cron: undefined, everyMs: 1_000, timeZone: "UTC" }],
      ["anchor", { anchor: new Date() }],
      ["anchor", { cron: undefined, everyMs: 1_000, anchor: new Date(Number.NaN) }],
      ["everyMs", { cron: undefined, everyMs: 999 }],
      ["everyMs", { cron: undefined, everyMs: 1_000.5 }],
      ["everyMs", { cron: undefined, everyMs: "1000" }],
      ["overlap", { overlap: "replace" }],
      ["catchUp", { catchUp: "all" }],
      ["catchUp.withinMs", { catchUp: {} }],
      ["graceMs", { graceMs: -1 }],
      ["jitterMs", { jitterMs: Number.POSITIVE_INFINITY }],
      ["startsAt", { startsAt: "2026-01-01" }],
      ["endsAt", { startsAt: new Date(2), endsAt: new Date(1) }],
    ];
    rule("a wrong field is refused with its name, the schedule's and a remedy", async (test) => {
      const client = await test.open();
      for (const [field, options] of wrong) {
        const error = await rejection(upsert(client, { ...hourly, ...options }));
        expect(error, JSON.stringify(options)).toBeInstanceOf(InvalidScheduleError);
        expect(error).toMatchObject({ code: "QUEUERT_INVALID_SCHEDULE", field });
        expect((error as Error).message).toMatch(/^`[\w.]+` of schedule "hourly" is .+: .+\.$/);
      }
      expect(await rejection(upsert(client, { ...hourly, crom: 1 }))).toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
      });
      expect(await rejection(upsert(client, hourly, hourly))).toMatchObject({ field: "name" });
      expect(await rejection(upsert(client, { ...hourly, name: "" }))).toMatchObject({
        option: "name",
      });
      expect((await client.queuert.listSchedules()).items).toEqual([]);
    });

    rule("a start cannot take the key of a tick", async ({ open }) => {
      const client = await open();
      const deduplication = { key: "schedule:scheduled:2026-01-01T00:00:00.000Z:hourly" };
      expect(await rejection(client.start("task", { deduplication }))).toMatchObject({
        code: "QUEUERT_INVALID_OPTION",
        option: "deduplication.key",
      });
    });

    const declared = (cron: string, others: Record<string, object> = {}) => ({
      byName: {
        ...defineSchedules(behaviourJobTypes, { hourly: { typeName: "task", input: null, cron } })
          .byName,
        ...others,
      },
    });
    const writes = (counts: ReadonlyMap<keyof AnyStateAdapter, number>): number =>
      counts.get("writeSchedules") ?? 0;

    rule(
      "a declared schedule is written once, and left alone while it is unchanged",
      async (test) => {
        const first = await test.open({
          schedules: { declared: declared("0 * * * *"), revision: 3 },
        });
        expect(await stored(first)).toMatchObject({ isDeclared: true, revision: 3 });
        await first.queuert.pauseSchedules({ names });
        await upsert(first, { ...hourly, priority: 5 });
        const { adapter, counts } = countStatements(test.stateAdapter);
        const again = await test.open({
          ...{ stateAdapter: adapter, schedules: { declared: declared("0 * * * *"), revision: 4 } },
        });
        expect(writes(counts)).toBe(0);
        const kept = { isDeclared: true, priority: 5, pausedAt: expect.any(Date) as Date };
        expect(await stored(again)).toMatchObject(kept);
        await test.open({ schedules: { declared: declared("5 * * * *"), revision: 4 } });
        expect(await stored(first)).toMatchObject({ cron: "5 * * * *", revision: 4, priority: 0 });
      },
    );

    rule("a lower revision never overwrites a higher one", async ({ open }) => {
      const client = await open({ schedules: { declared: declared("0 * * * *"), revision: 7 } });
      await open({ schedules: { declared: declared("5 * * * *"), revision: 6, prune: true } });
      expect(await stored(client)).toMatchObject({ cron: "0 * * * *", revision: 7 });
      await open({ schedules: { declared: { byName: {} }, revision: 6, prune: true } });
      expect(await stored(client)).toMatchObject({ revision: 7 });
    });

    rule("pruning deletes declared schedules that are gone, and no other", async ({ open }) => {
      const gone = { old: { typeName: "task", input: null, everyMs: 60_000 } };
      const client = await open({
        schedules: { declared: declared("0 * * * *", gone), revision: 1 },
      });
      await upsert(client, { ...hourly, name: "made at run time" });
      const list = async () => (await client.queuert.listSchedules()).items.map(({ name }) => name);
      await open({ schedules: { declared: declared("0 * * * *"), revision: 2 } });
      expect(await list()).toEqual(["hourly", "made at run time", "old"]);
      await open({ schedules: { declared: declared("0 * * * *"), revision: 2, prune: true } });
      expect(await list()).toEqual(["hourly", "made at run time"]);
    });
  },
);
