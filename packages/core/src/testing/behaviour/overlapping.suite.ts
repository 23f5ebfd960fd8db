import { expect } from "vitest";
import { graceMs, settlesWithin, within } from "../waiting.ts";
import type { BehaviourCaseContext } from "./behaviour-case.ts";
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
  untilTicks,
} from "./schedule-clock.ts";

const rules = { overlap: "cancelRunning", ...onTime } as const;

const trigger = async ({ queuert }: BehaviourClient, options: object = {}) =>
  (await queuert.triggerSchedules({ names: ["hourly"], ...options }))[0];

/** A worker whose first attempt waits at the gate. */
const workHeld = async (test: BehaviourCaseContext, client: BehaviourClient) => {
  const held = test.gate();
  const reasons: unknown[] = [];
  let begun = 0;
  await client.work({
    task: {
      leaseConfig: { leaseMs: 5_000, renewIntervalMs: 100 },
      process: async ({ signal, complete }) => {
        signal.addEventListener("abort", () => reasons.push(signal.reason));
        if (begun++ === 0) await held.pass();
        return complete(null);
      },
    },
  });
  return { held, reasons };
};

/** A running job may end while a tick that cancels it stands at the gate `firing`, before or after the cancellation. */
const settleDuringFiring = async (test: BehaviourCaseContext, side: "before" | "after") => {
  const [client, firing] = [await test.open(), test.gate()];
  await storeHourly(client, test, rules);
  const { held } = await workHeld(test, client);
  const [first] = await untilTicks(client, "hourly", 1);
  await held.arrived();
  await sleepSince(test.stateAdapter, "hourly", new Date(Date.now() + hourMs));
  const pass = async (operation: string): Promise<void> => {
    if (operation === "cancelSequences") await firing.pass();
  };
  const other = await test.openSecond({
    stateAdapter: interceptState(
      test.secondStateAdapter,
      side === "before" ? { before: pass } : { after: pass },
    ),
  });
  const triggered = other.transact((tx) =>
    other.queuert.triggerSchedules({ ...tx, names: ["hourly"] }),
  );
  await firing.arrived();
  held.open();
  return { client, other, firing, first, triggered };
};

export const overlappingSuite: BehaviourSuite = defineBehaviourSuite("overlapping", (rule) => {
  rule("a tick cancels the sequence that still runs, with its tree, and starts", async (test) => {
    const client = await test.open();
    await storeHourly(client, test, rules);
    const { held, reasons } = await workHeld(test, client);
    const [first] = await untilTicks(client, "hourly", 1);
    await held.arrived();
    const parent = { id: first?.sequenceId ?? "" };
    const child = await client.start("other", { parent });
    await sleepSince(test.stateAdapter, "hourly", new Date(lastHour().getTime() + 1_000));
    const ticks = await untilTicks(client, "hourly", 2);
    expect(countOutcomes(ticks)).toEqual({ started: 2 });
    const second = ticks.find(({ sequenceId }) => sequenceId !== parent.id);
    await client.until({ id: second?.sequenceId ?? "" });
    await expect.poll(() => reasons).toEqual(["cancelled"]);
    held.open();
    const cancelReason = "a later tick of its schedule";
    const fields = { status: "cancelled", cancelReason };
    expect(await client.sequence(parent)).toMatchObject(fields);
    expect(await client.sequence(child)).toMatchObject(fields);
    expect(client.events.of("jobCancelled").map(({ id }) => id)).toEqual(
      expect.arrayContaining([parent.id, child.id]),
    );
  });

  rule("of several ticks at once, the last starts", async (test) => {
    const client = await test.open();
    const first = await storeHourly(client, test, rules, 3);
    await client.work({ task: async ({ complete }) => complete(null) });
    const ticks = await untilTicks(client, "hourly", 4);
    expect(ticks.map(({ outcome }) => outcome)).toEqual([
      ...["skipped", "skipped", "skipped"],
      "started",
    ]);
    expect(ticks.at(-1)?.at.getTime()).toBe(first.getTime() + 3 * hourMs);
  });

  rule("a sequence that another job waits for goes on, and the tick is left out", async (test) => {
    const client = await test.open();
    await storeHourly(client, test, rules);
    await sleepSince(test.stateAdapter, "hourly", new Date(Date.now() + hourMs));
    const first = await trigger(client);
    const id = first?.sequenceId ?? "";
    const waiting = await client.transact((tx) =>
      client.startIn(tx, "waiting", {
        startBlockers: () => Promise.resolve([{ id, typeName: "task" }]),
      }),
    );
    expect(await trigger(client)).toMatchObject({ outcome: "skipped", sequenceId: null });
    expect(await client.job({ id })).toMatchObject({ status: "pending" });
    expect(await client.job(waiting)).toMatchObject({ status: "blocked" });
    expect(client.events.of("jobCancelled")).toEqual([]);
  });

  rule("a trigger may ask for it, and drops the tick that is buffered", async (test) => {
    const client = await test.open();
    await storeHourly(client, test, { overlap: "bufferOne", ...onTime });
    await sleepSince(test.stateAdapter, "hourly", new Date(Date.now() + hourMs));
    const first = await trigger(client);
    expect(await trigger(client)).toMatchObject({ outcome: "buffered" });
    const last = await trigger(client, { overlap: "cancelRunning" });
    expect(last).toMatchObject({ outcome: "started" });
    expect(countOutcomes(await history(client, "hourly"))).toEqual({ started: 2, skipped: 1 });
    expect(await client.job({ id: first?.sequenceId ?? "" })).toMatchObject({
      status: "cancelled",
    });
    const { items } = await client.queuert.listSchedules();
    expect(items[0]?.bufferedAt).toBeNull();
  });

  rule("a sequence that ends before the tick cancels it stays completed", async (test) => {
    // The firing has read that the sequence is unfinished.
    const { client, firing, first, triggered } = await settleDuringFiring(test, "before");
    // A store with one writer completes it after the firing: then it is cancelled.
    const ended = client.until({ id: first?.sequenceId ?? "" });
    ended.catch(() => undefined);
    const isCompleted = await settlesWithin(ended, graceMs);
    firing.open();
    const [tick] = await within(triggered, "the trigger");
    expect(tick).toMatchObject({ outcome: "started" });
    const status = isCompleted ? "completed" : "cancelled";
    expect(await client.sequence({ id: first?.sequenceId ?? "" })).toMatchObject({ status });
    await client.until({ id: tick?.sequenceId ?? "" });
  });

  rule("a sequence that ends after the tick has cancelled it is lost", async (test) => {
    const { client, other, firing, first, triggered } = await settleDuringFiring(test, "after");
    await settlesWithin(
      client.until({ id: first?.sequenceId ?? "" }).catch(() => undefined),
      graceMs,
    );
    firing.open();
    const [tick] = await within(triggered, "the trigger");
    await client.until({ id: tick?.sequenceId ?? "" });
    const sequence = await client.sequence({ id: first?.sequenceId ?? "" });
    const ends = [client.events.of("jobCompleted"), other.events.of("jobCancelled")];
    // MongoDB: the completion commits first, and the trigger runs again. Never both.
    const completed = ends[0]?.some(({ id }) => id === first?.sequenceId) === true;
    expect(sequence.status).toBe(completed ? "completed" : "cancelled");
    expect(ends[1]?.length).toBe(completed ? 0 : 1);
  });
});
