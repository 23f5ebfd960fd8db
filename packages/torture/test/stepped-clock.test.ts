// The clock of the store is set while workers run on a clock that goes on. Virtual time: an hour takes milliseconds.
import {
  createInProcessStateAdapter,
  createInProcessNotifyAdapter,
  defineUnionJobTypes,
  type LogEvent,
} from "queuert";
import { createQueuertWith } from "queuert/internal";
import { describe, expect, it } from "vitest";
import { createVirtualTime } from "../src/simulation/virtual-time.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const leaseMs = 30_000;

const jobTypeDefinitions = defineUnionJobTypes<{
  task: { input: string; output: null };
}>();

/** A store whose clock can be set, and workers that may vanish. */
const openWorld = async () => {
  const time = createVirtualTime();
  let stepMs = 0;
  const state = createInProcessStateAdapter({ clock: { now: () => time.now() + stepMs } });
  const events: LogEvent[] = [];
  /** The inputs of the attempts that began, with the worker and the virtual time. */
  const begun: { readonly input: string; readonly workerId: string; readonly atMs: number }[] = [];
  const startedAt = time.now();

  const openProcess = async (workerId: string, runMs: number) => {
    let isDead = false;
    const never = new Promise<never>(() => undefined);
    const alive = new Proxy(state, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name);
        return typeof method !== "function"
          ? method
          : (...given: unknown[]): unknown =>
              isDead ? never : Reflect.apply(method, target, given);
      },
    });
    const queuert = await createQueuertWith(
      {
        stateAdapter: alive,
        notifyAdapter: createInProcessNotifyAdapter(),
        jobTypeDefinitions,
        log: (event) => void events.push(event),
      },
      { clock: time, random: () => 0.5 },
    );
    const work = () =>
      queuert
        .createWorker()
        .implementJobType({
          typeName: "task",
          leaseConfig: { leaseMs },
          process: async ({ job, complete }) => {
            begun.push({ input: job.input, workerId, atMs: time.now() - startedAt });
            if (job.input === "long") {
              await new Promise<void>((resolve) => void time.setTimeout(resolve, runMs));
            }
            return complete(null);
          },
        })
        .start({ workerId, concurrency: 4, pollIntervalMs: 1_000, waitForStore: true });
    return { queuert, work, kill: () => (isDead = true) };
  };
  const start = (queuert: Awaited<ReturnType<typeof openProcess>>["queuert"], input: string) =>
    queuert.startJobSequence({ autocommit: true, typeName: "task", input });
  return {
    ...{ time, state, events, begun, openProcess, start },
    step: (ms: number) => (stepMs += ms),
    hasBegun:
      (input: string, count = 1) =>
      () =>
        begun.filter((one) => one.input === input).length >= count,
    steps: () =>
      events.flatMap((event) => (event.type === "storeClockStepped" ? [event.data["stepMs"]] : [])),
  };
};

describe("the store's clock, set back by an hour", () => {
  it("is reported once by each worker, and keeps no due job waiting", async () => {
    const world = await openWorld();
    const process = await world.openProcess("worker", minuteMs);
    const worker = await process.work();
    await world.start(process.queuert, "before");
    expect(await world.time.run(world.hasBegun("before"), minuteMs)).toBe(true);
    // Started and not acquired when the clock is set: no worker is notified.
    const quiet = await world.openProcess("starter", 0);
    await world.start(quiet.queuert, "at the step");
    await quiet.queuert.startJobSequence({
      autocommit: true,
      typeName: "task",
      input: "scheduled",
      schedule: { afterMs: minuteMs },
    });
    world.step(-hourMs);
    expect(await world.time.run(world.hasBegun("at the step"), 5_000)).toBe(true);
    expect(world.steps()).toEqual([expect.closeTo(-hourMs, -3)]);
    await world.start(process.queuert, "after");
    expect(await world.time.run(world.hasBegun("after"), 5_000)).toBe(true);
    // A schedule is by the clock of the store, as it is now.
    expect(await world.time.run(world.hasBegun("scheduled"), 30 * minuteMs)).toBe(false);
    expect(await world.time.run(world.hasBegun("scheduled"), hourMs)).toBe(true);
    expect(world.steps()).toHaveLength(1);
    const stopping = worker.stop();
    await world.time.run(() => false, minuteMs);
    await stopping;
  });

  it("keeps the job of a vanished worker waiting for two leases, not for an hour", async () => {
    const world = await openWorld();
    const dying = await world.openProcess("dying", hourMs);
    await dying.work();
    await world.start(dying.queuert, "long");
    expect(await world.time.run(world.hasBegun("long"), minuteMs)).toBe(true);
    const process = await world.openProcess("worker", 1_000);
    await process.work();
    await world.time.run(() => false, 5_000);
    dying.kill();
    world.step(-hourMs);
    const isTaken = world.hasBegun("long", 2);
    expect(await world.time.run(isTaken, leaseMs)).toBe(false);
    expect(await world.time.run(isTaken, leaseMs)).toBe(true);
    expect(world.begun.at(-1)).toMatchObject({ input: "long", workerId: "worker" });
    const isReaped = (): boolean => world.events.some(({ type }) => type === "jobReaped");
    expect(await world.time.run(isReaped, minuteMs)).toBe(true);
  });

  it("leaves a living worker its job for as long as it runs", async () => {
    const world = await openWorld();
    const living = await world.openProcess("living", 20 * minuteMs);
    await living.work();
    const { id } = await world.start(living.queuert, "long");
    expect(await world.time.run(world.hasBegun("long"), minuteMs)).toBe(true);
    const process = await world.openProcess("worker", 1_000);
    await process.work();
    await world.time.run(() => false, 5_000);
    world.step(-hourMs);
    const isCompleted = (): boolean =>
      world.events.some((event) => event.type === "jobCompleted" && event.data["id"] === id);
    expect(await world.time.run(isCompleted, 30 * minuteMs)).toBe(true);
    expect(world.begun.filter(({ input }) => input === "long")).toHaveLength(1);
    expect(world.steps()).toHaveLength(2);
  });
});

describe("the store's clock, set forward", () => {
  it("is reported, and changes no due time", async () => {
    const world = await openWorld();
    const process = await world.openProcess("worker", 1_000);
    await process.work();
    await world.time.run(() => false, 5_000);
    world.step(10 * minuteMs);
    await world.time.run(() => false, 5_000);
    expect(world.steps()).toEqual([expect.closeTo(10 * minuteMs, -3)]);
  });

  it("is not reported for less than 5 s, nor for a clock that goes at another speed", async () => {
    const world = await openWorld();
    const process = await world.openProcess("worker", 1_000);
    await process.work();
    for (let round = 0; round < 60; round++) {
      world.step(round % 2 === 0 ? 700 : -300);
      await world.time.run(() => false, 10_000);
    }
    expect(world.steps()).toEqual([]);
  });
});
