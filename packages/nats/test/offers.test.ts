// Messages about jobs are offered to one process first. If it cannot take all jobs, or does not reply, the other processes
// receive the message.
import { providedNats } from "@queuert/test-services/provided";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createNatsNotifyAdapter } from "../src/index.ts";
import { openNats, openNatsIo } from "./clients.ts";

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const job = { typeName: "email", count: 1 };

describe.each([
  ["nats", openNats],
  ["@nats-io", openNatsIo],
])("offers over %s", (_name, open) => {
  const openAdapter = async (subjectPrefix: string) => {
    const { nc, close } = await open({ servers: providedNats().url });
    const errors: unknown[] = [];
    const onError = (error: unknown): void => void errors.push(error);
    const adapter = await createNatsNotifyAdapter({ nc, subjectPrefix, onError });
    closing.push(async () => {
      await adapter.close();
      await nc.flush();
      await close();
    });
    return { adapter, nc, errors };
  };

  /** A process whose listener has a demand. */
  const openListener = async (prefix: string, demand: () => number) => {
    const opened = await openAdapter(prefix);
    const woken = { count: 0 };
    await opened.adapter.listenJobScheduled({
      typeNames: ["email"],
      onJobScheduled: (_typeName, count = 1) => (woken.count += count),
      demand,
    });
    return { ...opened, woken };
  };

  it("one process takes the jobs for which it has room", async () => {
    const prefix = providedNats().namespace();
    const sender = await openAdapter(prefix);
    const listeners = [await openListener(prefix, () => 5), await openListener(prefix, () => 5)];
    const total = (): number => listeners.reduce((sum, { woken }) => sum + woken.count, 0);
    for (let round = 1; round <= 20; round += 1) {
      await sender.adapter.notifyJobScheduled([{ ...job, count: 3 }]);
      expect(total()).toBe(3 * round);
    }
    // The server picks at random.
    expect(listeners.every(({ woken }) => woken.count > 0)).toBe(true);
  });

  it("jobs for which the process has no room are published to all", async () => {
    const prefix = providedNats().namespace();
    const sender = await openAdapter(prefix);
    const full = await openListener(prefix, () => 0);
    // A woken listener is busy from then on.
    let room = 4;
    const idle = await openListener(prefix, () => Math.max(0, room - idle.woken.count));
    for (let round = 1; round <= 4; round += 1) {
      await sender.adapter.notifyJobScheduled([job]);
      await vi.waitFor(() => expect(idle.woken.count).toBe(round));
    }
    room = 6;
    await sender.adapter.notifyJobScheduled([{ ...job, count: 10 }]);
    await vi.waitFor(() => expect(idle.woken.count).toBe(6));
    expect(full.woken.count).toBe(0);
    expect([sender, full, idle].flatMap(({ errors }) => errors)).toEqual([]);
  });

  it("an offer that the server gives to its sender is published to all", async () => {
    const prefix = providedNats().namespace();
    const sender = await openListener(prefix, () => 0);
    const other = await openListener(prefix, () => 100);
    for (let round = 1; round <= 20; round += 1) {
      await sender.adapter.notifyJobScheduled([job]);
      await vi.waitFor(() => expect(other.woken.count).toBe(round));
    }
  });

  it("a process that does not reply costs 100 ms, once", async () => {
    const prefix = providedNats().namespace();
    const sender = await openAdapter(prefix);
    const stopped = await openAdapter(prefix);
    let offered = 0;
    stopped.nc.subscribe(`${prefix}.offer`, {
      queue: `${prefix}.offer`,
      callback: () => (offered += 1),
    });
    await stopped.nc.flush();
    await sender.adapter.notifyJobScheduled([job]);
    expect(offered).toBe(1);
    const listener = await openListener(prefix, () => 5);
    for (let round = 1; round <= 20; round += 1) {
      await sender.adapter.notifyJobScheduled([job]);
      await vi.waitFor(() => expect(listener.woken.count).toBe(round));
    }
    // For five seconds messages go to all processes at once.
    expect(offered).toBe(1);
    expect([sender, listener].flatMap(({ errors }) => errors)).toEqual([]);
  });

  it.each([
    "x".repeat(100_000),
    JSON.stringify(Array.from({ length: 1_000 }, () => ["email", 1])),
    "not JSON",
    "{}",
    '[["email"]]',
    '[["email","1"]]',
    '[["other",5]]',
    '[["email",-7]]',
  ])("a foreign reply is ignored: %s", async (text) => {
    const prefix = providedNats().namespace();
    const sender = await openAdapter(prefix);
    const stranger = await openAdapter(prefix);
    stranger.nc.subscribe(`${prefix}.offer`, {
      queue: `${prefix}.offer`,
      callback: (_error, { reply = "" }) => stranger.nc.publish(reply, text),
    });
    await stranger.nc.flush();
    const heard: string[] = [];
    stranger.nc.subscribe(`${prefix}.sched`, {
      callback: (_error, { data }) => heard.push(Buffer.from(data).toString()),
    });
    await stranger.nc.flush();
    await sender.adapter.notifyJobScheduled([job]);
    await vi.waitFor(() => expect(heard).toHaveLength(1));
    expect(JSON.parse(heard[0] ?? "")).toMatchObject({ jobs: [["email", 1]] });
    expect(sender.errors).toEqual([]);
  });

  it("closing ends the wait for a reply", async () => {
    const prefix = providedNats().namespace();
    const sender = await openAdapter(prefix);
    const silent = await openAdapter(prefix);
    silent.nc.subscribe(`${prefix}.offer`, { queue: `${prefix}.offer`, callback: () => undefined });
    await silent.nc.flush();
    const notified = sender.adapter.notifyJobScheduled([job]);
    await sender.adapter.close();
    await notified;
    expect(sender.errors).toEqual([]);
  });
});
