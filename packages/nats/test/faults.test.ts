// Real servers that are killed, paused, cut off and refuse. Each time, notifying settles soon. When the fault is over,
// listeners are called once, and later notifications arrive.
// An unhandled rejection or error anywhere fails the run by itself.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type NatsService, startNats } from "@queuert/test-services/nats";
import {
  connectPair,
  expectHeardSince,
  expectRecovery,
  expectRefusal,
  rejectsSoon,
} from "@queuert/test-services/notify-pair";
import { startTcpProxy, type TcpProxy } from "@queuert/test-services/tcp-proxy";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createNatsNotifyAdapter } from "../src/index.ts";
import { openNats, openNatsIo } from "./clients.ts";

let nats: NatsService;
let proxy: TcpProxy;
beforeAll(async () => {
  nats = await startNats({ exclusive: true });
  proxy = await startTcpProxy(nats.url);
});
afterAll(async () => {
  await proxy.close();
  await nats.close();
});

interface PairOptions {
  readonly servers: string;
  readonly pingInterval?: number;
  readonly maxReconnectAttempts?: number;
}

const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  await proxy.heal();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe.each([
  ["nats", openNats],
  ["@nats-io", openNatsIo],
] as const)("faults with %s", (_name, open) => {
  const openAdapter = async (subjectPrefix: string, options: PairOptions) => {
    const connection = await open(options);
    const errors: unknown[] = [];
    const adapter = await createNatsNotifyAdapter({
      nc: connection.nc,
      subjectPrefix,
      onError: (error) => errors.push(error),
    });
    closing.push(async () => {
      await adapter.close();
      await connection.close();
    });
    return { adapter, errors, nc: connection.nc };
  };

  /** A listener and a notifier, as in two processes, both behind the proxy. */
  const openPair = async (options: PairOptions = { servers: proxy.url }) => {
    const prefix = nats.namespace();
    const listener = await openAdapter(prefix, options);
    const notifier = await openAdapter(prefix, options);
    return { ...(await connectPair(listener, notifier)), prefix };
  };

  it("survives connections that are cut, again and again", async () => {
    const pair = await openPair();
    for (let round = 1; round <= 5; round += 1) {
      proxy.cutAll();
      await vi.waitFor(() => expect(pair.listener.adapter.stats().reconnected).toBe(round));
    }
    await expectRecovery(pair);
  });

  it("survives a server that is killed and started again", async () => {
    const pair = await openPair();
    await nats.kill();
    await sleep(200);
    await rejectsSoon(pair.notify);
    await rejectsSoon(pair.notify);
    await nats.start();
    await expectRecovery(pair);
  });

  it("survives a server that stops answering for a while", async () => {
    const pair = await openPair();
    nats.pause();
    try {
      await rejectsSoon(pair.notify);
      await expectRefusal(pair);
    } finally {
      nats.resume();
    }
    const before = pair.heard();
    // The adapter publishes the kept notifications by itself.
    await expectHeardSince(pair, before);
  });

  it("notices a half-open connection", async () => {
    const pair = await openPair();
    proxy.halfOpen();
    await rejectsSoon(pair.notify);
    // By the client's own pings, one a second here.
    await sleep(4_000);
    await proxy.heal();
    await expectRecovery(pair);
  });

  it("goes on trying when it is refused", async () => {
    const pair = await openPair();
    await nats.stop();
    const args = ["-p", String(nats.port), "-a", "127.0.0.1", "--user", "u", "--pass", "p"];
    const refusing = spawn("nats-server", args, { stdio: "ignore" });
    const knock = () => open({ servers: nats.url, maxReconnectAttempts: 0 });
    await vi.waitFor(() => expect(knock()).rejects.toThrow(/authorization/i));
    await expect(pair.notify()).rejects.toThrow();
    const ended = once(refusing, "exit");
    refusing.kill("SIGKILL");
    await ended;
    await nats.start();
    await expectRecovery(pair);
  });

  it("comes back when the server has dropped it for reading too slowly", async () => {
    // The server must notice before the client does.
    const pair = await openPair({ servers: nats.url, pingInterval: 60_000 });
    // Only the socket inside of the client can be stopped from reading.
    const { socket } = Object(pair.listener.nc).protocol.transport as { socket: Socket };
    socket.pause();
    const flood = await open({ servers: nats.url, pingInterval: 60_000 });
    // More than the sockets between them hold: the server waits ten seconds for one to be read, and no longer.
    const million = "x".repeat(1_000_000);
    for (let sent = 0; sent < 100; sent += 1) flood.nc.publish(`${pair.prefix}.sched`, million);
    await flood.nc.flush();
    await flood.close();
    socket.resume();
    await expectRecovery(pair);
    expect(readFileSync(nats.logPath, "utf8")).toContain("Slow Consumer Detected");
  });

  it("rejects when the connection it was given has been closed", async () => {
    const { adapter, nc } = await openAdapter(nats.namespace(), { servers: nats.url });
    await adapter.listenJobOwnershipLost({ onOwnershipLost: () => undefined });
    if (!("close" in nc) || typeof nc.close !== "function") throw new Error("cannot be closed");
    await nc.close();
    await expect(adapter.notifyJobOwnershipLost(["a"])).rejects.toThrow("down");
    await expect(
      adapter.listenJobScheduled({ typeNames: ["email"], onJobScheduled: () => undefined }),
    ).rejects.toThrow();
    await adapter.close();
  });

  it("reports when the connection has given up", async () => {
    const givesUp = { servers: proxy.url, maxReconnectAttempts: 1 };
    const { adapter, errors } = await openAdapter(nats.namespace(), givesUp);
    await adapter.listenJobOwnershipLost({ onOwnershipLost: () => undefined });
    await proxy.refuse();
    proxy.cutAll();
    await vi.waitFor(() => expect(errors.map(String).join()).toContain("has given up"));
    await expect(adapter.notifyJobOwnershipLost(["a"])).rejects.toThrow("down");
  });

  it("leaves the connection it was given as it was", async () => {
    const { adapter, errors, nc } = await openAdapter(nats.namespace(), { servers: nats.url });
    await adapter.listenJobOwnershipLost({ onOwnershipLost: () => undefined });
    await adapter.close();
    await adapter.close();
    await nc.flush();
    expect(nc.isClosed()).toBe(false);
    expect(errors).toEqual([]);
  });
});

describe("options", () => {
  it.each(["", "a..b", ".a", "a.", "a.*", "a.>", "a b"])(
    "refuse %j as a prefix",
    async (subjectPrefix) => {
      const { nc, close } = await openNats({ servers: nats.url });
      closing.push(close);
      await expect(createNatsNotifyAdapter({ nc, subjectPrefix })).rejects.toThrow("subjectPrefix");
    },
  );
});
