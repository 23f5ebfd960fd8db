import { describe, expect, it } from "vitest";
import {
  type ChannelNotifyAdapter,
  createChannelNotifyAdapter,
} from "../../src/adapter-kit/channel-notify-adapter.ts";
import type { JobScheduledListener } from "../../src/adapters/notify-adapter.ts";
import { type Bus, createBus, settled } from "./bus.ts";

const email = (count: number) => [{ typeName: "email", count }];

const open = (bus: Bus, options: { hints?: boolean } = {}) => {
  const errors: unknown[] = [];
  const adapter = createChannelNotifyAdapter({
    transport: bus.transport(options),
    onError: (error) => errors.push(error),
  });
  return { adapter, errors };
};

const listen = async (
  adapter: ChannelNotifyAdapter,
  demand?: JobScheduledListener["demand"],
  typeNames = ["email"],
) => {
  const woken: string[] = [];
  const stop = await adapter.listenJobScheduled({
    typeNames,
    onJobScheduled: (typeName) => woken.push(typeName),
    demand,
  });
  return { woken, stop };
};

describe("job scheduled", () => {
  it("tells listeners of the same process before notifying returns, and not again over the wire", async () => {
    const bus = createBus();
    const { adapter } = open(bus);
    const { woken } = await listen(adapter);
    const notified = adapter.notifyJobScheduled(email(1));
    expect(woken).toEqual(["email"]);
    await notified;
    await settled();
    expect(woken).toEqual(["email"]);
    expect(adapter.stats().returned).toBe(1);
  });

  it("tells other processes, and only those that listen for the type", async () => {
    const bus = createBus();
    const other = open(bus);
    const { woken } = await listen(other.adapter);
    const unrelated = await listen(other.adapter, undefined, ["sms"]);
    await open(bus).adapter.notifyJobScheduled(email(1));
    expect(woken).toEqual(["email"]);
    expect(unrelated.woken).toEqual([]);
  });

  it("wakes as many listeners of a process as there are jobs", async () => {
    const bus = createBus();
    const other = open(bus);
    const listeners = await Promise.all(Array.from({ length: 5 }, () => listen(other.adapter)));
    await open(bus).adapter.notifyJobScheduled(email(2));
    expect(listeners.filter(({ woken }) => woken.length > 0).length).toBe(2);
  });

  it("does not send jobs that this process has room for, if the transport keeps counts", async () => {
    const bus = createBus();
    const here = open(bus, { hints: true });
    const there = open(bus, { hints: true });
    const local = await listen(here.adapter, () => 2);
    const remote = await listen(there.adapter, () => 10);
    await here.adapter.notifyJobScheduled(email(2));
    await settled();
    expect(local.woken).toEqual(["email"]);
    expect(bus.published("jobScheduled")).toEqual([]);
    await here.adapter.notifyJobScheduled(email(5));
    await settled();
    expect(JSON.parse(bus.published("jobScheduled")[0] ?? "")).toMatchObject({
      jobs: [["email", 3]],
    });
    expect(remote.woken).toEqual(["email"]);
    expect(there.adapter.stats().hintsTaken).toBe(3);
  });

  it("leaves a hint to others when its own listeners are saturated", async () => {
    const bus = createBus();
    const saturated = open(bus, { hints: true });
    const idle = open(bus, { hints: true });
    const busy = await listen(saturated.adapter, () => 0);
    const free = await listen(idle.adapter, () => 1);
    await open(bus, { hints: true }).adapter.notifyJobScheduled(email(1));
    await settled();
    expect(busy.woken).toEqual([]);
    expect(free.woken).toEqual(["email"]);
    expect(saturated.adapter.stats()).toMatchObject({ hintsTaken: 0, hintsMissed: 0 });
  });

  it("takes no more hints than it has room for while earlier ones are being taken", async () => {
    const bus = createBus();
    const other = open(bus, { hints: true });
    await listen(other.adapter, () => 1);
    // Two senders: their messages arrive before the first hint has been answered.
    const senders = [open(bus, { hints: true }), open(bus, { hints: true })];
    await Promise.all(senders.map(({ adapter }) => adapter.notifyJobScheduled(email(1))));
    await settled();
    expect(other.adapter.stats()).toMatchObject({ received: 2, hintsTaken: 1 });
  });

  it("passes a hint on whose taker has become busy meanwhile", async () => {
    const bus = createBus();
    const fickle = open(bus, { hints: true });
    const idle = open(bus, { hints: true });
    let room = 1;
    let isIdle = 0;
    const busy = await listen(fickle.adapter, () => room);
    const free = await listen(idle.adapter, () => isIdle);
    const notified = open(bus, { hints: true }).adapter.notifyJobScheduled(email(1));
    room = 0;
    isIdle = 1;
    await notified;
    await settled();
    expect(busy.woken).toEqual([]);
    expect(free.woken).toEqual(["email"]);
  });

  it("wakes at a guess when the hint cannot be asked for", async () => {
    const bus = createBus();
    const other = open(bus, { hints: true });
    const { woken } = await listen(other.adapter);
    bus.failHints(new Error("down"));
    await open(bus, { hints: true }).adapter.notifyJobScheduled(email(1));
    await settled();
    expect(woken).toEqual(["email"]);
    expect(other.adapter.stats().hintsGuessed).toBe(1);
    expect(other.errors.map(String)).toEqual(["Error: down"]);
  });

  it("says nothing for counts that are no positive whole number", async () => {
    const bus = createBus();
    const { adapter } = open(bus);
    const { woken } = await listen(adapter);
    await adapter.notifyJobScheduled([...email(0), ...email(-1), ...email(Number.NaN)]);
    await adapter.notifyJobScheduled([]);
    expect(woken).toEqual([]);
    expect(bus.published("jobScheduled")).toEqual([]);
  });
});

describe("sequence completed and ownership lost", () => {
  it("tells every listener of an id, in every process", async () => {
    const bus = createBus();
    const here = open(bus);
    const there = open(bus);
    const told: string[] = [];
    for (const [name, { adapter }] of Object.entries({ here, there })) {
      for (const index of [1, 2]) {
        await adapter.listenJobSequenceCompleted({
          sequenceIds: ["a", "b"],
          onSequenceCompleted: (id) => told.push(`${name} ${index} ${id}`),
        });
        await adapter.listenJobOwnershipLost({
          onOwnershipLost: (id) => told.push(`${name} ${index} lost ${id}`),
        });
      }
    }
    await here.adapter.notifyJobSequenceCompleted(["b", "c", "b"]);
    expect(told.sort()).toEqual(["here 1 b", "here 2 b", "there 1 b", "there 2 b"]);
    told.length = 0;
    await there.adapter.notifyJobOwnershipLost(["x"]);
    expect(told.length).toBe(4);
  });
});

describe("subscriptions", () => {
  it("share one per channel, made for the first listener and ended with the last", async () => {
    const bus = createBus();
    const { adapter } = open(bus);
    const listeners = await Promise.all(Array.from({ length: 20 }, () => listen(adapter)));
    expect(bus.subscribeCount()).toBe(1);
    for (const { stop } of listeners.slice(1)) await stop();
    expect(bus.subscriptionCount("jobScheduled")).toBe(1);
    await listeners[0]?.stop();
    await listeners[0]?.stop();
    expect(bus.subscriptionCount("jobScheduled")).toBe(0);
  });

  it("survive listeners that come while others go", async () => {
    const bus = createBus();
    const { adapter } = open(bus);
    let last = await listen(adapter);
    for (let round = 0; round < 50; round += 1) {
      const leaving = last.stop();
      last = await listen(adapter);
      await leaving;
      expect(bus.subscriptionCount("jobScheduled")).toBe(1);
    }
    await open(bus).adapter.notifyJobScheduled(email(1));
    expect(last.woken).toEqual(["email"]);
  });

  it("reject when they cannot be made, and can be tried again", async () => {
    const bus = createBus();
    const { adapter } = open(bus);
    bus.failSubscribing(new Error("refused"));
    await expect(listen(adapter)).rejects.toThrow("refused");
    bus.failSubscribing(undefined);
    const { woken, stop } = await listen(adapter);
    await open(bus).adapter.notifyJobScheduled(email(1));
    expect(woken).toEqual(["email"]);
    await stop();
    expect(bus.subscriptionCount("jobScheduled")).toBe(0);
  });

  it("tell every listener to look once when they are back", async () => {
    const bus = createBus();
    const { adapter } = open(bus);
    const told: string[] = [];
    await listen(adapter, () => 0, ["email", "sms"]).then(({ woken }) => {
      woken.push = (...types) => told.push(...types);
    });
    await adapter.listenJobSequenceCompleted({
      sequenceIds: ["a", "b"],
      onSequenceCompleted: (id) => told.push(id),
    });
    await adapter.listenJobOwnershipLost({
      onOwnershipLost: (id) => told.push(id),
      onReconnected: () => told.push("reconnected"),
    });
    bus.reconnect();
    expect(told.sort()).toEqual(["a", "b", "email", "reconnected", "sms"]);
  });
});

describe("messages", () => {
  it("that are foreign, broken or of the future are counted and ignored", async () => {
    const bus = createBus();
    const { adapter, errors } = open(bus);
    const { woken } = await listen(adapter);
    const texts = [
      "",
      "email",
      "[]",
      "null",
      '{"v":2,"from":"x","jobs":[["email",1]]}',
      '{"v":1,"jobs":[["email",1]]}',
      '{"v":1,"from":"x","jobs":[["email",0]]}',
      '{"v":1,"from":"x","jobs":[["email",1.5]]}',
      '{"v":1,"from":"x","jobs":[["email","1"]]}',
      '{"v":1,"from":"x","jobs":{"email":1}}',
      '{"v":1,"from":"x","ids":["email"]}',
      '{"v":1,"from":"x","hint":7,"jobs":[["email",1]]}',
      "x".repeat(2_000_000),
    ];
    for (const text of texts) bus.inject("jobScheduled", text);
    expect(woken).toEqual([]);
    expect(adapter.stats()).toMatchObject({ ignored: texts.length - 1, dropped: 1, received: 0 });
    bus.inject("jobScheduled", '{"v":1,"from":"x","jobs":[["email",1]],"more":true}');
    expect(woken).toEqual(["email"]);
    expect(errors.map(String)).toEqual([expect.stringContaining("1 messages of more than 65536")]);
  });

  it("over a limit are dropped, and reported once", async () => {
    const bus = createBus();
    const { adapter, errors } = open(bus);
    const reported: unknown[] = [];
    adapter.bindStore?.({ storeId: "0123456789abcdef", onError: (error) => reported.push(error) });
    const lost: string[] = [];
    await adapter.listenJobOwnershipLost({ onOwnershipLost: (id) => lost.push(id) });
    const ids = Array.from({ length: 20_000 }, (_, index) => `job-${index}`);
    const text = JSON.stringify({ v: 1, from: "x", ids });
    for (let round = 0; round < 100; round += 1) bus.injectInto("owls.0123456789abcdef", text);
    expect(lost).toEqual([]);
    expect(adapter.stats().dropped).toBe(100);
    expect(errors.length).toBe(1);
    expect(reported).toEqual(errors);
  });

  it("of another store are not received", async () => {
    const bus = createBus();
    const [one, other, sender] = [open(bus), open(bus), open(bus)];
    const bind = ({ adapter }: typeof one, storeId: string) =>
      adapter.bindStore?.({ storeId, onError: () => undefined });
    bind(one, "aaaaaaaaaaaaaaaa");
    bind(other, "bbbbbbbbbbbbbbbb");
    bind(sender, "aaaaaaaaaaaaaaaa");
    const [ours, theirs] = [await listen(one.adapter), await listen(other.adapter)];
    await sender.adapter.notifyJobScheduled(email(1));
    await settled();
    expect(ours.woken).toEqual(["email"]);
    expect(theirs.woken).toEqual([]);
    expect(other.adapter.stats()).toMatchObject({ received: 0, ignored: 0 });
    // The same store again is no mistake; a second one is.
    bind(one, "aaaaaaaaaaaaaaaa");
    expect(() => bind(one, "bbbbbbbbbbbbbbbb")).toThrow("it serves another store");
    expect(() => bind(open(bus), "UPPER.case")).toThrow("8 to 16 characters");
  });

  it("reach the other listeners when one throws", async () => {
    const bus = createBus();
    const { adapter, errors } = open(bus);
    await adapter.listenJobSequenceCompleted({
      sequenceIds: ["a"],
      onSequenceCompleted: () => {
        throw new Error("broken listener");
      },
    });
    const told: string[] = [];
    await adapter.listenJobSequenceCompleted({
      sequenceIds: ["a"],
      onSequenceCompleted: (id) => told.push(id),
    });
    await open(bus).adapter.notifyJobSequenceCompleted(["a"]);
    expect(told).toEqual(["a"]);
    expect(errors.map(String)).toEqual(["Error: broken listener"]);
  });
});

describe("publishing", () => {
  it("gathers while a batch is on its way, and sends one message per type with a count", async () => {
    const bus = createBus();
    const { adapter } = open(bus);
    const release = bus.holdPublishing();
    const notified = Array.from({ length: 100 }, (_, index) =>
      adapter.notifyJobScheduled([{ typeName: index % 2 === 0 ? "email" : "sms", count: 2 }]),
    );
    release();
    await Promise.all(notified);
    const messages = bus.published("jobScheduled").map((text) => JSON.parse(text).jobs);
    expect(messages).toEqual([
      [["email", 2]],
      [
        ["sms", 100],
        ["email", 98],
      ],
    ]);
  });

  it("splits a text that is too large for one message, and loses nothing", async () => {
    const bus = createBus();
    const { adapter } = open(bus);
    const ids = Array.from({ length: 200 }, (_, index) => `sequence-é-${index}`);
    await adapter.notifyJobSequenceCompleted(ids);
    const texts = bus.published("sequenceCompleted");
    expect(texts.every((text) => Buffer.byteLength(text) <= 500)).toBe(true);
    expect(texts.flatMap((text) => JSON.parse(text).ids)).toEqual(ids);
  });

  it("reports a name that fits no message and sends the others", async () => {
    const bus = createBus();
    const { adapter, errors } = open(bus);
    await adapter.notifyJobSequenceCompleted(["x".repeat(600), "short"]);
    expect(bus.published("sequenceCompleted").map((text) => JSON.parse(text).ids)).toEqual([
      ["short"],
    ]);
    expect(errors.length).toBe(1);
  });

  it("does nothing after close, and close waits for messages in transit", async () => {
    const bus = createBus();
    const { adapter } = open(bus);
    const { woken } = await listen(adapter);
    const release = bus.holdPublishing();
    const notified = adapter.notifyJobSequenceCompleted(["a"]);
    const more = adapter.notifyJobSequenceCompleted(["b"]);
    const closed = adapter.close();
    release();
    await Promise.all([notified, more, closed, adapter.close()]);
    expect(bus.published("sequenceCompleted").length).toBe(2);
    expect(bus.subscriptionCount("jobScheduled")).toBe(0);
    await adapter.notifyJobScheduled(email(1));
    await adapter.notifyJobSequenceCompleted(["c"]);
    expect(woken).toEqual([]);
    expect(bus.published("sequenceCompleted").length).toBe(2);
    await expect(listen(adapter)).rejects.toThrow("closed");
  });
});
