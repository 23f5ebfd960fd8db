import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  createReconnectingSubscriber,
  type SubscriberConnectionEvents,
} from "../../src/adapter-kit/reconnecting-subscriber.ts";

interface FakeServer {
  refuses: boolean;
  answers: boolean;
  readonly connections: {
    readonly events: SubscriberConnectionEvents;
    readonly channels: Set<string>;
    closed: boolean;
  }[];
}

const never = (): Promise<never> => new Promise(() => undefined);

/** Connections to nothing, whose server can refuse and fall silent; the drivers' own ways are tested with real servers. */
const open = () => {
  const server: FakeServer = { refuses: false, answers: true, connections: [] };
  const errors: string[] = [];
  const subscriber = createReconnectingSubscriber({
    connect: async (events) => {
      if (server.refuses) throw new Error("refused");
      const connection = { events, channels: new Set<string>(), closed: false };
      server.connections.push(connection);
      const answer = () => (server.answers ? Promise.resolve() : never());
      return {
        subscribe: (channel) => {
          connection.channels.add(channel);
          return answer();
        },
        unsubscribe: (channel) => {
          connection.channels.delete(channel);
          return answer();
        },
        ping: answer,
        close: () => {
          connection.closed = true;
        },
      };
    },
    onError: (error) => errors.push(String(error)),
    pingIntervalMs: 1_000,
    pingTimeoutMs: 100,
    delayMinMs: 10,
    delayMaxMs: 80,
  });
  return { server, errors, subscriber };
};

const listener = () => {
  const heard: string[] = [];
  return {
    heard,
    onMessage: (text: string) => void heard.push(text),
    onReconnected: () => void heard.push("(reconnected)"),
  };
};

describe("reconnecting subscriber", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("connects for the first subscription only, and once for several", async () => {
    const { server, subscriber } = open();
    expect(server.connections.length).toBe(0);
    const a = listener();
    await Promise.all([subscriber.subscribe("a", a), subscriber.subscribe("b", listener())]);
    expect(server.connections.length).toBe(1);
    server.connections[0]?.events.onMessage("a", "hello");
    server.connections[0]?.events.onMessage("c", "stray");
    expect(a.heard).toEqual(["hello"]);
    await subscriber.close();
    expect(server.connections[0]?.closed).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("replaces a lost connection, as often as it takes, and then tells", async () => {
    const { server, errors, subscriber } = open();
    const a = listener();
    await subscriber.subscribe("a", a);
    server.refuses = true;
    server.connections[0]?.events.onLost(new Error("cut"));
    await vi.advanceTimersByTimeAsync(500);
    expect(errors.length).toBeGreaterThan(4);
    expect(a.heard).toEqual([]);
    server.refuses = false;
    await vi.advanceTimersByTimeAsync(100);
    expect(server.connections.length).toBe(2);
    expect([...(server.connections[1]?.channels ?? [])]).toEqual(["a"]);
    server.connections[0]?.events.onMessage("a", "from the dead");
    server.connections[1]?.events.onMessage("a", "hello");
    expect(a.heard).toEqual(["(reconnected)", "hello"]);
    await subscriber.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("gives up a connection that no longer answers", async () => {
    const { server, subscriber } = open();
    const a = listener();
    await subscriber.subscribe("a", a);
    server.answers = false;
    await vi.advanceTimersByTimeAsync(1_100);
    expect(server.connections[0]?.closed).toBe(true);
    server.answers = true;
    await vi.advanceTimersByTimeAsync(200);
    expect(a.heard).toEqual(["(reconnected)"]);
    await subscriber.close();
  });

  it("does not ping a connection that has just spoken", async () => {
    const { server, subscriber } = open();
    await subscriber.subscribe("a", listener());
    server.answers = false;
    for (let round = 0; round < 5; round += 1) {
      server.connections[0]?.events.onMessage("a", "hello");
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(server.connections[0]?.closed).toBe(false);
    await subscriber.close();
  });

  it("rejects a first subscription that cannot be made, and stays quiet afterwards", async () => {
    const { server, subscriber } = open();
    server.refuses = true;
    await expect(subscriber.subscribe("a", listener())).rejects.toThrow("refused");
    await vi.advanceTimersByTimeAsync(500);
    expect(vi.getTimerCount()).toBe(0);
    server.refuses = false;
    await subscriber.subscribe("a", listener());
    expect(server.connections.length).toBe(1);
    await subscriber.close();
  });

  it("does not reconnect without a listener", async () => {
    const { server, subscriber } = open();
    const stop = await subscriber.subscribe("a", listener());
    await stop();
    server.connections[0]?.events.onLost(new Error("cut"));
    await vi.advanceTimersByTimeAsync(500);
    expect(server.connections.length).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("stops trying when closed while the connection is lost", async () => {
    const { server, subscriber } = open();
    await subscriber.subscribe("a", listener());
    server.refuses = true;
    server.connections[0]?.events.onLost(new Error("cut"));
    await vi.advanceTimersByTimeAsync(100);
    await subscriber.close();
    server.refuses = false;
    await vi.advanceTimersByTimeAsync(500);
    expect(server.connections.length).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});
