import { expect } from "vitest";
import type { JobTick } from "../../model/tick.ts";
import { eventually, settlesWithin, graceMs, within } from "../waiting.ts";
import type { BehaviourClient } from "./behaviour-client.ts";
import { type BehaviourSuite, defineBehaviourSuite } from "./behaviour-suite.ts";
import { interceptState, StateFault, type StateOperation } from "./intercept-state.ts";
import {
  countOutcomes,
  history,
  hourly,
  hourMs,
  lastHour,
  minuteMs,
  onTime,
  redefine,
  sleepSince,
  storeHourly,
  untilTicks,
} from "./schedule-clock.ts";

const complete = {
  task: async ({ complete: end }: { complete: (output: null) => Promise<never> }) => end(null),
} as unknown as Parameters<BehaviourClient["work"]>[0];

/** An interval of a second with this anchor ticks in less than a second. */
const anchorSoon = (): Date => new Date(Date.UTC(2026, 0, 1) + ((Date.now() + 200) % 1_000));

const startedSequences = async ({ queuert }: BehaviourClient) =>
  (await queuert.listJobSequences({ typeName: "task", order: "asc", limit: 1_000 })).items;

export const tickingSuite: BehaviourSuite = defineBehaviourSuite("ticking", (rule) => {
  rule("a due schedule starts its job, and is set to its next instant", async (test) => {
    const client = await test.open();
    const at = await storeHourly(client, test, { ...onTime, priority: 7, endsAt: undefined });
    const seen: (JobTick | null)[] = [];
    await client.work({
      task: async ({ job, complete: end }) => {
        seen.push(job.tick);
        return end(job.input);
      },
    });
    const [tick] = await untilTicks(client, "hourly", 1);
    if (typeof tick?.sequenceId !== "string") throw new Error("No sequence was started");
    const sequence = await client.until({ id: tick.sequenceId });
    expect(tick).toMatchObject({ schedule: "hourly", at, kind: "scheduled", outcome: "started" });
    expect(seen).toEqual([{ schedule: "hourly", at, kind: "scheduled" }]);
    expect(sequence).toMatchObject({ typeName: "task", input: "report", output: "report" });
    expect(await client.job({ id: tick.sequenceId })).toMatchObject({ priority: 7 });
    const { items } = await client.queuert.listSchedules();
    const nextAt = new Date(lastHour().getTime() + hourMs);
    expect(items).toMatchObject([{ name: "hourly", nextAt, lastTickAt: at, lastError: null }]);
    expect(client.events.of("scheduleTicked")).toMatchObject([
      { schedule: "hourly", tickAt: at, outcome: "started", sequenceId: tick.sequenceId },
    ]);
  });

  rule("an interval ticks by itself, at whole multiples of its anchor", async ({ open }) => {
    const client = await open();
    const anchor = anchorSoon();
    await client.work(complete);
    await client.transact((context) =>
      client.queuert.upsertSchedules({
        ...context,
        schedules: [{ name: "often", typeName: "task", input: null, everyMs: 1_000, anchor }],
      }),
    );
    const ticks = await untilTicks(client, "often", 2);
    for (const { at } of ticks) expect((at.getTime() - anchor.getTime()) % 1_000).toBe(0);
    const [first, second] = ticks;
    expect((second?.at.getTime() ?? 0) - (first?.at.getTime() ?? 0)).toBe(1_000);
    for (const { at, firedAt } of ticks) {
      expect(firedAt.getTime()).toBeGreaterThanOrEqual(at.getTime());
    }
  });

  rule("a schedule that another process stores is seen at once", async (test) => {
    let isAnswered = false;
    const stateAdapter = interceptState(test.stateAdapter, {
      after: (operation) => {
        if (operation === "nextScheduleInMs") isAnswered = true;
      },
    });
    const client = await test.open({ stateAdapter });
    const second = await test.openSecond();
    await client.work(complete, { pollIntervalMs: 60_000 });
    // Answered, not only sent: a look that is under way may find the schedule without a notification.
    await eventually(async () => (isAnswered ? true : undefined), "the first look");
    const often = {
      name: "often",
      typeName: "task",
      input: null,
      everyMs: 1_000,
      anchor: anchorSoon(),
    } as const;
    await second.queuert.upsertSchedules({ schedules: [often] });
    await within(untilTicks(client, "often", 1), "the first tick", 4_000);
  });

  rule("ten workers of five clients store one tick for each instant", async (test) => {
    const clients = await Promise.all([
      test.open(),
      test.open(),
      test.open(),
      test.openSecond(),
      test.openSecond(),
    ]);
    const [client] = clients;
    if (client === undefined) throw new Error("No client");
    await storeHourly(client, test, { overlap: "allow", ...onTime }, 4);
    await Promise.all(
      [...clients, ...clients].map((one) => one.work(complete, { pollIntervalMs: 10 })),
    );
    const ticks = await untilTicks(client, "hourly", 5);
    await eventually(
      async () => ((await startedSequences(client)).length >= 5 ? true : undefined),
      "five sequences",
    );
    expect(countOutcomes(ticks)).toEqual({ started: 5 });
    expect(new Set(ticks.map(({ at }) => at.getTime())).size).toBe(5);
    const sequences = await startedSequences(client);
    expect(new Set(sequences.map(({ id }) => id))).toEqual(
      new Set(ticks.map(({ sequenceId }) => sequenceId)),
    );
  });

  rule("a worker whose clock is an hour wrong fires no tick early", async (test) => {
    const client = await test.open({ clockAheadMs: 2 * hourMs });
    await storeHourly(client, test, { overlap: "allow", ...onTime });
    await client.work(complete);
    const [tick] = await untilTicks(client, "hourly", 1);
    await client.until({ id: tick?.sequenceId ?? "" });
    await settlesWithin(new Promise(() => undefined), graceMs);
    expect(await history(client, "hourly")).toHaveLength(1);
  });

  const downtimes: readonly (readonly [string, object, Readonly<Record<string, number>>])[] = [
    ["latest", { catchUp: "latest" }, { missed: 72, started: 1 }],
    ["skip", { catchUp: "skip" }, { missed: 73 }],
    ["withinMs", { catchUp: { withinMs: 10 * hourMs } }, { missed: 63, started: 10 }],
  ];
  for (const [name, options, expected] of downtimes) {
    rule(`after three days without a worker, catch-up ${name} decides`, async (test) => {
      const client = await test.open();
      const rules = { overlap: "allow", graceMs: 0, ...options };
      const first = await storeHourly(client, test, rules, 72);
      await client.work(complete);
      const ticks = await untilTicks(client, "hourly", 73);
      expect(countOutcomes(ticks)).toEqual(expected);
      expect(ticks.map(({ at }) => at.getTime())).toEqual(
        Array.from({ length: 73 }, (_, index) => first.getTime() + index * hourMs),
      );
      const started = ticks.filter(({ outcome }) => outcome === "started");
      expect(started.map(({ at }) => at)).toEqual(
        ticks.slice(ticks.length - started.length).map(({ at }) => at),
      );
    });
  }

  rule("a downtime over more instants than one firing takes loses none", async (test) => {
    const client = await test.open();
    await storeHourly(client, test, { overlap: "allow", graceMs: 0 }, 2_500);
    await client.work(complete);
    await eventually(async () => {
      const { items } = await client.queuert.listSchedules();
      return items[0]?.nextAt === null ? true : undefined;
    }, "the end of the catch-up");
    let count = 0;
    let started = 0;
    for (let cursor: string | null = null; ;) {
      const place: string | null = cursor;
      const page = await client.queuert.listScheduleTicks({
        ...{ name: "hourly", limit: 1_000, cursor: place },
      });
      count += page.items.length;
      started += page.items.filter(({ outcome }) => outcome === "started").length;
      cursor = page.nextCursor;
      if (cursor === null) break;
    }
    expect([count, started]).toEqual([2_501, 1]);
  });

  rule("a tick is skipped while a sequence of the schedule is unfinished", async (test) => {
    const client = await test.open();
    await storeHourly(client, test, { overlap: "skip", ...onTime }, 2);
    const gate = test.gate();
    await client.work({
      task: async ({ complete: end }) => {
        await gate.pass();
        return end(null);
      },
    });
    const ticks = await untilTicks(client, "hourly", 3);
    expect(ticks.map(({ outcome }) => outcome)).toEqual(["started", "skipped", "skipped"]);
    const id = ticks[0]?.sequenceId ?? "";
    gate.open();
    await client.until({ id });
    await sleepSince(test.stateAdapter, "hourly", new Date(lastHour().getTime() - 9 * minuteMs));
    const later = await untilTicks(client, "hourly", 4);
    expect(countOutcomes(later)["started"]).toBe(2);
  });

  rule("one tick is buffered until the sequence has ended, also if that failed", async (test) => {
    const client = await test.open();
    await storeHourly(client, test, { overlap: "bufferOne", ...onTime }, 3);
    const gate = test.gate();
    const ran: (string | undefined)[] = [];
    await client.work({
      task: {
        retryConfig: { maxAttempts: 1 },
        process: async ({ job, complete: end }) => {
          ran.push(job.tick?.at.toISOString());
          await gate.pass();
          if (ran.length === 1) throw new Error("broken on purpose");
          return end(null);
        },
      },
    });
    const ticks = await untilTicks(client, "hourly", 4);
    expect(ticks.map(({ outcome }) => outcome)).toEqual([
      "started",
      "buffered",
      "skipped",
      "skipped",
    ]);
    gate.open();
    const after = await eventually(async () => {
      const found = await history(client, "hourly");
      return found[1]?.outcome === "started" ? found : undefined;
    }, "the buffered tick to start");
    await client.until({ id: after[1]?.sequenceId ?? "" });
    expect(ran).toEqual(after.slice(0, 2).map(({ at }) => at.toISOString()));
  });

  rule("jitter delays a job within its bound, by the same time for each instant", async (test) => {
    const client = await test.open();
    const future = new Date(lastHour().getTime());
    const jitterMs = 300 * 24 * hourMs;
    await storeHourly(client, test, { ...onTime, cron: "0 0 1 1 *", jitterMs });
    await sleepSince(test.stateAdapter, "hourly", future);
    await client.work(complete);
    const [tick] = await untilTicks(client, "hourly", 1);
    const { scheduledAt } = await client.job({ id: tick?.sequenceId ?? "" });
    expect(scheduledAt.getTime()).toBeGreaterThanOrEqual(future.getTime());
    expect(scheduledAt.getTime()).toBeLessThan(future.getTime() + jitterMs);
  });

  /** The first statement of this kind fails, or its commit does. */
  const crashes: readonly (readonly [string, (armed: () => boolean) => object])[] = [
    ["before the jobs are stored", (armed) => failing("before", "createJobs", armed)],
    ["before the ticks are stored", (armed) => failing("before", "recordTicks", armed)],
    ["after the ticks are stored", (armed) => failing("after", "recordTicks", armed)],
    [
      "after its commit",
      (armed) => ({
        afterCommit: () => {
          if (armed()) throw new StateFault("the answer to the commit was lost");
        },
      }),
    ],
  ];
  for (const [moment, toHooks] of crashes) {
    rule(`a firing that fails ${moment} neither loses nor repeats its tick`, async (test) => {
      let left = 1;
      const hooks = toHooks(() => left > 0 && left-- > 0);
      const healthy = await test.open();
      await storeHourly(healthy, test, { overlap: "allow", ...onTime }, 1);
      const client = await test.open({ stateAdapter: interceptState(test.stateAdapter, hooks) });
      await client.work(complete);
      const ticks = await untilTicks(client, "hourly", 2);
      expect(countOutcomes(ticks)).toEqual({ started: 2 });
      for (const { sequenceId } of ticks) await client.until({ id: sequenceId ?? "" });
      expect(await startedSequences(client)).toHaveLength(2);
      expect(left).toBe(0);
    });
  }

  /** A change that comes while the tick is being stored. */
  const changes: readonly (readonly [
    string,
    (client: BehaviourClient, context: object) => Promise<unknown>,
  ])[] = [
    [
      "edit",
      ({ queuert }, context) =>
        queuert.upsertSchedules({
          ...context,
          schedules: [{ ...hourly, cron: "30 * * * *", overlap: "allow", ...onTime }],
        }),
    ],
    ["pause", ({ queuert }, context) => queuert.pauseSchedules({ ...context, names: ["hourly"] })],
    [
      "trigger",
      ({ queuert }, context) => queuert.triggerSchedules({ ...context, names: ["hourly"] }),
    ],
    [
      "delete",
      ({ queuert }, context) => queuert.deleteSchedules({ ...context, names: ["hourly"] }),
    ],
  ];
  for (const [name, change] of changes) {
    rule(`${name} beside a firing: the instant starts once`, async (test) => {
      const gate = test.gate();
      const healthy = await test.openSecond();
      const at = await storeHourly(healthy, test, { overlap: "allow", ...onTime });
      const before = async (operation: StateOperation): Promise<void> => {
        if (operation === "recordTicks") await gate.pass();
      };
      const client = await test.open({
        stateAdapter: interceptState(test.stateAdapter, { before }),
      });
      await client.work(complete);
      await gate.arrived();
      // The firing holds the schedule. The change waits for it, or is run again after a conflict.
      const changed = healthy.transact((context) => change(healthy, context));
      await settlesWithin(changed, graceMs);
      gate.open();
      await within(changed, name);
      await eventually(
        async () => ((await startedSequences(healthy)).length >= 1 ? true : undefined),
        "the sequence",
      );
      const sequences = await startedSequences(healthy);
      const jobs = await Promise.all(sequences.map(({ id }) => client.job({ id })));
      const scheduled = jobs.filter(({ tick }) => tick?.kind === "scheduled");
      expect(scheduled.map(({ tick }) => tick?.at)).toEqual([at]);
      expect(jobs.length).toBe(name === "trigger" ? 2 : 1);
    });
  }

  rule(
    "a schedule that cannot be computed waits, and keeps no other from ticking",
    async (test) => {
      const client = await test.open();
      await storeHourly(client, test, { overlap: "allow", ...onTime });
      await client.transact((context) =>
        client.queuert.upsertSchedules({
          ...context,
          schedules: [{ name: "lost", typeName: "task", input: null, cron: "0 * * * *" }],
        }),
      );
      await redefine(test.stateAdapter, "lost", (definition) => ({
        ...definition,
        nextAt: 0,
        spec: { ...(definition["spec"] as object), timeZone: "Nowhere/Land" },
      }));
      await client.work(complete);
      await untilTicks(client, "hourly", 1);
      await client.events.until("scheduleFailed", ({ schedule }) => schedule === "lost");
      const { items } = await client.queuert.listSchedules({ names: ["lost"] });
      expect(items[0]?.lastError).toMatch(/Nowhere\/Land/);
      expect(await history(client, "lost")).toEqual([]);
    },
  );

  rule("a schedule whose job is refused waits, and keeps no other from ticking", async (test) => {
    const refuse = (operation: StateOperation, params: unknown): void => {
      const { jobs = [] } = (params ?? {}) as { jobs?: readonly { typeName: string }[] };
      if (operation === "createJobs" && jobs.some(({ typeName }) => typeName === "other")) {
        throw new Error("refused on purpose");
      }
    };
    const client = await test.open({
      stateAdapter: interceptState(test.stateAdapter, { before: refuse }),
    });
    await storeHourly(client, test, { overlap: "allow", ...onTime });
    await client.transact((context) =>
      client.queuert.upsertSchedules({
        ...context,
        schedules: [
          { name: "poison", typeName: "other", input: null, cron: "0 * * * *", ...onTime },
        ],
      }),
    );
    await sleepSince(test.stateAdapter, "poison", lastHour());
    await client.work(complete);
    await untilTicks(client, "hourly", 1);
    await client.events.until("scheduleFailed", ({ schedule }) => schedule === "poison");
    const { items } = await client.queuert.listSchedules({ names: ["poison"] });
    expect(items[0]?.lastError).toBe("refused on purpose");
  });
});

const failing = (when: "before" | "after", operation: StateOperation, armed: () => boolean) => ({
  [when]: (called: StateOperation) => {
    if (called === operation && armed()) throw new StateFault(`${operation} failed on purpose`);
  },
});
