import { describe, expect, it } from "vitest";
import type { JobScheduledListener } from "../../src/adapters/notify-adapter.ts";
import { createInProcessNotifyAdapter } from "../../src/in-process/create-in-process-notify-adapter.ts";
import { createNoopNotifyAdapter } from "../../src/in-process/create-noop-notify-adapter.ts";

const aListener = (
  overrides: Partial<JobScheduledListener> = {},
): { readonly listener: JobScheduledListener; readonly woken: string[] } => {
  const woken: string[] = [];
  const onJobScheduled = (typeName: string): void => void woken.push(typeName);
  return { listener: { typeNames: ["task"], onJobScheduled, ...overrides }, woken };
};

describe("jobs scheduled", () => {
  it("wakes as many listeners as there are jobs, before notify returns", () => {
    const notify = createInProcessNotifyAdapter();
    const listeners = Array.from({ length: 5 }, () => aListener());
    for (const { listener } of listeners) void notify.listenJobScheduled(listener);
    void notify.notifyJobScheduled([{ typeName: "task", count: 2 }]);
    expect(listeners.flatMap(({ woken }) => woken)).toEqual(["task", "task"]);
    void notify.notifyJobScheduled([{ typeName: "other", count: 2 }]);
    expect(listeners.flatMap(({ woken }) => woken)).toHaveLength(2);
  });

  it("takes the listeners in turn", async () => {
    const notify = createInProcessNotifyAdapter();
    const listeners = Array.from({ length: 4 }, () => aListener());
    for (const { listener } of listeners) await notify.listenJobScheduled(listener);
    for (let round = 0; round < 8; round++) {
      await notify.notifyJobScheduled([{ typeName: "task", count: 1 }]);
    }
    expect(listeners.map(({ woken }) => woken.length)).toEqual([2, 2, 2, 2]);
  });

  it("leaves listeners without room alone, and counts the room of the others", async () => {
    const notify = createInProcessNotifyAdapter();
    const busy = aListener({ demand: () => 0 });
    const roomy = aListener({ demand: () => 10 });
    const last = aListener({ demand: () => 1 });
    for (const { listener } of [busy, roomy, last]) await notify.listenJobScheduled(listener);
    await notify.notifyJobScheduled([{ typeName: "task", count: 11 }]);
    expect([busy, roomy, last].map(({ woken }) => woken.length)).toEqual([0, 1, 1]);
  });

  it("stops for the listener that stops, also when two listen with the same object", async () => {
    const notify = createInProcessNotifyAdapter();
    const { listener, woken } = aListener();
    const stop = await notify.listenJobScheduled(listener);
    await notify.listenJobScheduled(listener);
    await stop();
    await stop();
    await notify.notifyJobScheduled([{ typeName: "task", count: 5 }]);
    expect(woken).toEqual(["task"]);
  });

  it("tells the others when a listener throws, and reports it", async () => {
    const notify = createInProcessNotifyAdapter();
    const broken = new Error("broken listener");
    const throwing = aListener({
      onJobScheduled: () => {
        throw broken;
      },
    });
    const sound = aListener();
    for (const { listener } of [throwing, sound]) await notify.listenJobScheduled(listener);
    await expect(notify.notifyJobScheduled([{ typeName: "task", count: 2 }])).rejects.toBe(broken);
    expect(sound.woken).toEqual(["task"]);
  });
});

describe("sequences completed and ownership lost", () => {
  it("notify every listener of the sequence, once for each id", async () => {
    const notify = createInProcessNotifyAdapter();
    const heard: string[] = [];
    for (const name of ["first", "second"]) {
      await notify.listenJobSequenceCompleted({
        sequenceIds: ["a", "b"],
        onSequenceCompleted: (id) => heard.push(`${name} ${id}`),
      });
    }
    await notify.notifyJobSequenceCompleted(["a", "c", "a"]);
    expect(heard).toEqual(["first a", "second a"]);
  });

  it("notify every listener about every job", async () => {
    const notify = createInProcessNotifyAdapter();
    const heard: string[] = [];
    const stop = await notify.listenJobOwnershipLost({ onOwnershipLost: (id) => heard.push(id) });
    await notify.notifyJobOwnershipLost(["a", "b"]);
    await stop();
    await notify.notifyJobOwnershipLost(["c"]);
    expect(heard).toEqual(["a", "b"]);
  });

  it("may be answered by a notification from within a listener", async () => {
    const notify = createInProcessNotifyAdapter();
    const heard: string[] = [];
    await notify.listenJobOwnershipLost({
      onOwnershipLost: (id) => {
        heard.push(id);
        if (id === "a") void notify.notifyJobOwnershipLost(["b"]);
      },
    });
    await notify.notifyJobOwnershipLost(["a"]);
    expect(heard).toEqual(["a", "b"]);
  });
});

describe("close", () => {
  it("ends all notifications, for later listeners too", async () => {
    const notify = createInProcessNotifyAdapter();
    const { listener, woken } = aListener();
    await notify.listenJobScheduled(listener);
    await notify.close();
    await notify.listenJobScheduled(listener);
    await notify.notifyJobScheduled([{ typeName: "task", count: 9 }]);
    expect(woken).toEqual([]);
  });
});

describe("the noop adapter", () => {
  it("accepts everything and calls no listener", async () => {
    const notify = createNoopNotifyAdapter();
    const { listener, woken } = aListener();
    const stop = await notify.listenJobScheduled(listener);
    await notify.notifyJobScheduled([{ typeName: "task", count: 9 }]);
    await stop();
    await notify.close();
    expect(woken).toEqual([]);
  });
});
