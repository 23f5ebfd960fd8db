import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { NotifyOutbox } from "../../src/adapter-kit/notify-channel.ts";

const options = {
  keysMax: 3,
  timeoutMs: 1_000,
  retryDelayMinMs: 50,
  retryDelayMaxMs: 200,
  keptMs: 1_000,
};

const open = () => {
  const sent: (readonly [string, number])[][] = [];
  const state = { error: undefined as Error | undefined, hangs: false, failed: 0 };
  const outbox = new NotifyOutbox({
    ...options,
    send: async (entries) => {
      if (state.hangs) await new Promise(() => undefined);
      if (state.error !== undefined) throw state.error;
      sent.push([...entries]);
    },
    onFailed: () => (state.failed += 1),
  });
  return { outbox, sent, state };
};

const unhandled: unknown[] = [];
const noteUnhandled = (error: unknown): void => void unhandled.push(error);

describe("outbox", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    process.on("unhandledRejection", noteUnhandled);
  });
  afterEach(async () => {
    vi.useRealTimers();
    await new Promise((resolve) => setImmediate(resolve));
    process.off("unhandledRejection", noteUnhandled);
    expect(unhandled.splice(0)).toEqual([]);
  });

  it("keeps entries that could not be sent and sends them when the transport works again", async () => {
    const { outbox, sent, state } = open();
    state.error = new Error("down");
    await expect(outbox.add([["a", 1]])).rejects.toThrow("down");
    await expect(outbox.add([["a", 2]])).rejects.toThrow("cannot be published now");
    state.error = undefined;
    await vi.advanceTimersByTimeAsync(60);
    expect(sent).toEqual([[["a", 3]]]);
    await outbox.add([["b", 1]]);
    expect(sent[1]).toEqual([["b", 1]]);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("tries again at once when the connection is said to be back", async () => {
    const { outbox, sent, state } = open();
    state.error = new Error("down");
    await expect(outbox.add([["a", 1]])).rejects.toThrow("down");
    state.error = undefined;
    outbox.retryNow();
    await vi.advanceTimersByTimeAsync(0);
    expect(sent).toEqual([[["a", 1]]]);
  });

  it("discards entries that are too old, and then takes new ones", async () => {
    const { outbox, sent, state } = open();
    state.error = new Error("down");
    await expect(outbox.add([["old", 1]])).rejects.toThrow("down");
    await vi.advanceTimersByTimeAsync(2_000);
    expect(vi.getTimerCount()).toBe(0);
    const tries = state.failed;
    await vi.advanceTimersByTimeAsync(10_000);
    expect(state.failed).toBe(tries);
    state.error = undefined;
    await outbox.add([["new", 1]]);
    expect(sent).toEqual([[["new", 1]]]);
  });

  it("makes callers wait for one timeout only when nothing answers", async () => {
    const { outbox, state } = open();
    state.hangs = true;
    const first = expect(outbox.add([["a", 1]])).rejects.toThrow("took longer than 1000 ms");
    const second = expect(outbox.add([["b", 1]])).rejects.toThrow("took longer than 1000 ms");
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all([first, second]);
    await expect(outbox.add([["c", 1]])).rejects.toThrow("cannot be published now");
    await outbox.close();
  });

  it("refuses entries without room, and adds up the others", async () => {
    const { outbox, sent, state } = open();
    state.hangs = true;
    const stuck = expect(outbox.add([["first", 1]])).rejects.toThrow();
    const keys = Array.from({ length: 10 }, (_, index) => [`k${index}`, 1] as const);
    const refused = expect(outbox.add([...keys, ["k0", 4]])).rejects.toThrow();
    state.hangs = false;
    await vi.advanceTimersByTimeAsync(1_000);
    await Promise.all([stuck, refused]);
    await vi.advanceTimersByTimeAsync(60);
    expect(sent.flat().slice(0, 3)).toEqual([
      ["k0", 5],
      ["k1", 1],
      ["k2", 1],
    ]);
    await expect(outbox.add(keys)).rejects.toThrow("7 notifications were not sent");
  });

  it("leaves no timer behind when closed while it is broken", async () => {
    const { outbox, state } = open();
    state.error = new Error("down");
    await expect(outbox.add([["a", 1]])).rejects.toThrow("down");
    expect(vi.getTimerCount()).toBe(1);
    await outbox.close();
    expect(vi.getTimerCount()).toBe(0);
    await outbox.add([["b", 1]]);
    expect(state.failed).toBe(1);
  });
});
