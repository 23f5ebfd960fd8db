import { expect } from "vitest";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { interceptState } from "./intercept-state.ts";
import {
  countOutcomes,
  history,
  hourMs,
  lastHour,
  onTime,
  sleepSince,
  storeHourly,
} from "./schedule-clock.ts";

const completing = (client: BehaviourClient, ran: unknown[] = []) =>
  client.queuert.createWorker().implementJobType({
    typeName: "task",
    process: async ({ job, complete }) => {
      ran.push(job.tick?.at.getTime() ?? job.input);
      return complete(null);
    },
  });

export const tickingOnceSuite: BehaviourSuite = defineBehaviourSuite("ticking once", (rule) => {
  rule("a schedule ticks through `processOnce` alone", async (test) => {
    const client = await test.open();
    const at = await storeHourly(client, test, { ...onTime, endsAt: undefined });
    const ran: unknown[] = [];
    const first = await completing(client, ran).processOnce({ budgetMs: 60_000 });
    expect(first).toMatchObject({ completed: 1 });
    expect(ran).toEqual([at.getTime()]);
    // No job is scheduled: this is the time until the next tick, at a full hour. One may have begun meanwhile.
    const afterHourMs = (Date.now() + (first.nextDueInMs ?? hourMs / 2)) % hourMs;
    expect(Math.min(afterHourMs, hourMs - afterHourMs)).toBeLessThan(5 * 60_000);
    await sleepSince(test.stateAdapter, "hourly", new Date(at.getTime() + 1_000));
    expect(await completing(client, ran).drain()).toMatchObject({ completed: 1 });
    expect(countOutcomes(await history(client, "hourly"))).toEqual({ started: 2 });
  });

  rule("the next due time is that of the earlier: a job, or a tick", async (test) => {
    const client = await test.open();
    await storeHourly(client, test, { ...onTime, endsAt: undefined });
    await completing(client).drain();
    await client.start("task", { schedule: { afterMs: 48 * hourMs } });
    const late = await completing(client).processOnce({ budgetMs: 60_000 });
    expect(late.nextDueInMs).toBeLessThanOrEqual(hourMs);
    await client.queuert.pauseSchedules({ names: ["hourly"] });
    const alone = await completing(client).processOnce({ budgetMs: 60_000 });
    expect(alone.nextDueInMs).toBeGreaterThan(47 * hourMs);
  });

  rule("a tick that becomes due during the call is fired by it", async (test) => {
    const client = await test.open();
    const at = await storeHourly(client, test, { ...onTime });
    await client.start("task", { input: "job" });
    await sleepSince(test.stateAdapter, "hourly", new Date(Date.now() + hourMs));
    const ran: unknown[] = [];
    const result = await client.queuert
      .createWorker()
      .implementJobType({
        typeName: "task",
        process: async ({ job, complete }) => {
          ran.push(job.tick?.at.getTime() ?? job.input);
          if (job.tick === null) await sleepSince(test.stateAdapter, "hourly", at);
          return complete(null);
        },
      })
      .processOnce({ budgetMs: 60_000 });
    expect(ran).toEqual(["job", at.getTime()]);
    expect(result).toMatchObject({ completed: 2, nextDueInMs: null });
  });

  rule("two calls at once start each instant once", async (test) => {
    const clients = [await test.open(), await test.openSecond()] as const;
    await storeHourly(clients[0], test, { overlap: "allow", ...onTime }, 4);
    await Promise.all(
      clients.map((client) => completing(client).processOnce({ budgetMs: 60_000 })),
    );
    await completing(clients[0]).drain();
    const ticks = await history(clients[0], "hourly");
    expect(countOutcomes(ticks)).toEqual({ started: 5 });
    expect(new Set(ticks.map(({ sequenceId }) => sequenceId)).size).toBe(5);
    const { items } = await clients[0].queuert.listJobSequences({ typeName: "task" });
    expect(items.map(({ status }) => status)).toEqual(Array.from({ length: 5 }, () => "completed"));
  });

  rule("a schedule that cannot be fired keeps no job and no other from it", async (test) => {
    const refusing = interceptState(test.stateAdapter, {
      before: (operation, params) => {
        const { jobs = [] } = (params ?? {}) as { jobs?: readonly { typeName: string }[] };
        if (operation === "createJobs" && jobs.some(({ typeName }) => typeName === "other")) {
          throw new Error("refused on purpose");
        }
      },
    });
    const client = await test.open({ stateAdapter: refusing });
    const at = await storeHourly(client, test, { ...onTime });
    await client.queuert.upsertSchedules({
      schedules: [{ name: "broken", typeName: "other", input: null, cron: "0 * * * *", ...onTime }],
    });
    await sleepSince(test.stateAdapter, "broken", at);
    await client.start("task", { input: "job" });
    const ran: unknown[] = [];
    await completing(client, ran).processOnce({ budgetMs: 60_000 });
    expect(ran).toHaveLength(2);
    expect(new Set(ran)).toEqual(new Set(["job", at.getTime()]));
    const { items } = await client.queuert.listSchedules({ names: ["broken"] });
    expect(items[0]?.lastError).toBe("refused on purpose");
  });

  rule("a call that adds ticks deletes old ones", async (test) => {
    const client = await test.open({ schedules: { ticksForMs: 1_000 } });
    await storeHourly(client, test, { overlap: "allow", ...onTime });
    const firedAt = new Date(Date.now() - hourMs);
    const tickAt = new Date(lastHour().getTime() - 24 * hourMs);
    const old = { scheduleName: "hourly", tickAt, firedAt, sequenceId: null } as const;
    await test.stateAdapter.runInTransaction((context) =>
      test.stateAdapter.recordTicks({
        context,
        ticks: [{ ...old, kind: "scheduled", outcome: "skipped" }],
      }),
    );
    await completing(client).drain();
    expect(countOutcomes(await history(client, "hourly"))).toEqual({ started: 1 });
  });
});
