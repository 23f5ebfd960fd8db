import { describe, expect, it } from "vitest";
import { RemoteWaiters, waitersAskedName, waitersName } from "../src/lifecycle/local-listeners.ts";

/** Processes that hear each other's messages when they are delivered, and their own ones at once. */
const open = (count: number) => {
  let now = 0;
  const timers = new Map<number, { readonly at: number; readonly run: () => void }>();
  let timerCount = 0;
  const onTheWay: (() => void)[] = [];
  const sent: string[][] = [];
  const processes = Array.from({ length: count }, () => {
    const received: string[] = [];
    const send = async (
      names: readonly string[],
      receive: (process: (typeof processes)[number], name: string) => void,
    ): Promise<void> => {
      sent.push([...names]);
      const deliver = (process: (typeof processes)[number]): void => {
        for (const name of names) receive(process, name);
      };
      deliver(self);
      for (const process of processes) {
        if (process !== self) onTheWay.push(() => deliver(process));
      }
    };
    const waiters: RemoteWaiters = new RemoteWaiters(
      {
        notifyJobSequenceCompleted: (names) =>
          send(names, (process, name) => {
            process.received.push(name);
            if (name === waitersAskedName) process.waiters.asked();
          }),
        listenJobSequenceCompleted: () => Promise.resolve(() => Promise.resolve()),
        notifyJobOwnershipLost: (names) =>
          send(names, (process, name) => {
            if (name === waitersName) process.waiters.heard();
          }),
      },
      {
        now: () => now,
        setTimeout: (run, ms) => {
          timerCount += 1;
          timers.set(timerCount, { at: now + ms, run });
          return timerCount;
        },
        clearTimeout: (handle) => timers.delete(handle as number),
      },
    );
    const self = { waiters, received };
    return self;
  });
  return {
    processes,
    sent,
    deliver: () => {
      while (onTheWay.length > 0) onTheWay.shift()?.();
    },
    pass: (ms: number) => {
      now += ms;
      for (const [handle, { at, run }] of timers) {
        if (at > now) continue;
        timers.delete(handle);
        run();
      }
    },
    pendingTimers: () => timers.size,
  };
};

const two = (net: ReturnType<typeof open>) => {
  const [worker, waiter] = net.processes;
  if (worker === undefined || waiter === undefined) throw new Error("two processes");
  return { worker, waiter };
};

describe("remote waiters", () => {
  it("sends no end while no process awaits one", async () => {
    const net = open(2);
    const { worker, waiter } = two(net);
    worker.waiters.listen();
    net.deliver();
    await worker.waiters.ended(["a"]);
    net.deliver();
    expect(waiter.received).toEqual([waitersAskedName]);
  });

  it("sends every end from a process that hears of no waiters", async () => {
    const net = open(2);
    const { worker, waiter } = two(net);
    await worker.waiters.ended(["a"]);
    const stop = worker.waiters.listen();
    stop();
    await worker.waiters.ended(["b"]);
    net.deliver();
    expect(waiter.received).toEqual(["a", waitersAskedName, "b"]);
  });

  it("sends an end that came while the waiter's message was on its way", async () => {
    const net = open(2);
    const { worker, waiter } = two(net);
    worker.waiters.listen();
    net.deliver();
    waiter.waiters.wait();
    await worker.waiters.ended(["a"]);
    net.deliver();
    await worker.waiters.ended(["b"]);
    net.deliver();
    expect(waiter.received).toEqual([waitersAskedName, "a", "b"]);
  });

  it("answers a worker that begins after the waiter, however soon", async () => {
    const net = open(2);
    const { worker, waiter } = two(net);
    waiter.waiters.wait();
    net.deliver();
    worker.waiters.listen();
    await worker.waiters.ended(["a"]);
    net.deliver();
    net.pass(100);
    net.deliver();
    expect(waiter.received).toEqual([waitersAskedName, "a"]);
  });

  it("answers in time although a further wait begins", async () => {
    const net = open(2);
    const { worker, waiter } = two(net);
    waiter.waiters.wait();
    net.deliver();
    worker.waiters.listen();
    net.deliver();
    waiter.waiters.wait();
    net.pass(100);
    net.deliver();
    await worker.waiters.ended(["a"]);
    net.deliver();
    expect(waiter.received).toEqual([waitersAskedName, "a"]);
  });

  it("repeats that it waits, and is forgotten some time after the last wait", async () => {
    const net = open(2);
    const { worker, waiter } = two(net);
    worker.waiters.listen();
    const stop = waiter.waiters.wait();
    for (let time = 0; time < 10; time += 1) {
      net.deliver();
      net.pass(5_000);
    }
    net.deliver();
    await worker.waiters.ended(["a"]);
    net.deliver();
    expect(waiter.received).toEqual([waitersAskedName, "a"]);
    stop();
    expect(net.pendingTimers()).toBe(0);
    net.pass(15_000);
    await worker.waiters.ended(["b"]);
    net.deliver();
    expect(waiter.received).toEqual([waitersAskedName, "a"]);
  });

  it("sends nothing on account of waiters of its own process", async () => {
    const net = open(2);
    const { worker, waiter } = two(net);
    worker.waiters.listen();
    worker.waiters.wait();
    net.deliver();
    await worker.waiters.ended(["a"]);
    net.deliver();
    expect(waiter.received).toEqual([waitersAskedName]);
  });

  it("bounds the ends that it keeps, and its answers to a flood of questions", async () => {
    const net = open(2);
    const { worker, waiter } = two(net);
    worker.waiters.listen();
    net.deliver();
    await worker.waiters.ended(["old"]);
    net.pass(2_000);
    for (let end = 0; end < 60; end += 1) {
      await worker.waiters.ended(Array.from({ length: 100 }, (_, index) => `${end}-${index}`));
    }
    waiter.waiters.wait();
    net.deliver();
    expect(waiter.received).toHaveLength(1 + 5_000);
    expect(waiter.received.at(-1)).toBe("59-99");
    const before = net.sent.length;
    for (let question = 0; question < 1_000; question += 1) waiter.waiters.asked();
    net.pass(100);
    expect(net.sent.length - before).toBe(1);
  });
});
