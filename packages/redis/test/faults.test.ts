// Real servers that are killed, paused, cut off and refuse. Each time, notifying settles soon. When the fault is over,
// listeners are called once, and later notifications arrive.
// An unhandled rejection or error anywhere fails the run by itself.
import { setTimeout as sleep } from "node:timers/promises";
import { type RedisService, startRedis } from "@queuert/test-services/redis";
import {
  connectPair,
  expectHeardSince,
  expectRecovery,
  expectRefusal,
  rejectsSoon,
} from "@queuert/test-services/notify-pair";
import { startTcpProxy, type TcpProxy } from "@queuert/test-services/tcp-proxy";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { createRedisNotifyAdapter } from "../src/index.ts";
import { singleClients } from "./clients.ts";

const pingIntervalMs = 500;

let redis: RedisService;
let proxy: TcpProxy;
beforeAll(async () => {
  redis = await startRedis({ exclusive: true });
  proxy = await startTcpProxy(redis.url);
});
afterAll(async () => {
  await proxy.close();
  await redis.close();
});

const closing: (() => Promise<void>)[] = [];
beforeEach(async () => {
  await proxy.heal();
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

describe.each(singleClients)("faults with %s", (_name, open) => {
  const openAdapter = async (url: string, channelPrefix: string) => {
    const client = await open(url);
    const errors: unknown[] = [];
    const adapter = await createRedisNotifyAdapter({
      provider: client.provider,
      channelPrefix,
      pingIntervalMs,
      onError: (error) => errors.push(error),
    });
    closing.push(async () => {
      await adapter.close();
      await client.close();
    });
    return { adapter, errors, ping: client.ping };
  };

  /** A listener and a notifier, as in two processes, both behind the proxy. */
  const openPair = async () => {
    const prefix = redis.namespace();
    const listener = await openAdapter(proxy.url, prefix);
    const notifier = await openAdapter(proxy.url, prefix);
    return connectPair(listener, notifier);
  };

  it("survives connections that are cut, again and again", async () => {
    const pair = await openPair();
    for (let round = 1; round <= 5; round += 1) {
      proxy.cutAll();
      await vi.waitFor(() => expect(pair.listener.adapter.stats().reconnected).toBe(round));
    }
    await expectRecovery(pair);
    expect(pair.listener.errors.length).toBeGreaterThanOrEqual(5);
  });

  it("survives a server that is killed and started again", async () => {
    const pair = await openPair();
    await redis.kill();
    await sleep(200);
    await rejectsSoon(pair.notify);
    await rejectsSoon(pair.notify);
    await redis.start();
    await expectRecovery(pair);
  });

  it("survives a server that stops answering for a while", async () => {
    const pair = await openPair();
    redis.pause();
    try {
      await rejectsSoon(pair.notify);
      await expectRefusal(pair);
    } finally {
      redis.resume();
    }
    const before = pair.heard();
    // The adapter publishes the kept notifications by itself.
    await expectHeardSince(pair, before);
  });

  it("notices a half-open connection", async () => {
    const pair = await openPair();
    proxy.halfOpen();
    await rejectsSoon(pair.notify);
    await vi.waitFor(() =>
      expect(pair.listener.errors.map(String)).toContainEqual(expect.stringContaining("A ping")),
    );
    await proxy.heal();
    await expectRecovery(pair);
  });

  it("goes on trying when it is refused", async () => {
    const pair = await openPair();
    const admin = await open(redis.url);
    const { command } = admin.provider;
    await command(["CONFIG", "SET", "requirepass", "secret"], undefined);
    proxy.cutAll();
    await vi.waitFor(() => expect(pair.listener.errors.length).toBeGreaterThan(1));
    await expect(pair.notify()).rejects.toThrow();
    await command(["CONFIG", "SET", "requirepass", ""], undefined);
    await admin.close();
    await expectRecovery(pair);
  });

  it("says that its password is not right any more", async () => {
    const admin = await open(redis.url);
    const setPassword = (password: string) =>
      admin.provider.command(
        ["ACL", "SETUSER", "app", "reset", "on", `>${password}`, "~*", "&*", "+@all"],
        undefined,
      );
    await setPassword("old");
    const url = redis.url.replace("redis://", "redis://app:old@");
    const { adapter } = await openAdapter(url, redis.namespace());
    await setPassword("new");
    const listen = () => adapter.listenJobOwnershipLost({ onOwnershipLost: () => undefined });
    await expect(listen()).rejects.toThrow("WRONGPASS");
    await setPassword("old");
    await listen();
    await admin.close();
  });

  it("comes back when the server has dropped it for reading too slowly", async () => {
    const pair = await openPair();
    const admin = await open(redis.url);
    const { command } = admin.provider;
    await command(["CONFIG", "SET", "client-output-buffer-limit", "pubsub 100kb 0 0"], undefined);
    const flood = `for i = 1, 2000 do redis.call('PUBLISH', ARGV[1], string.rep('x', 1000)) end`;
    const channels = await command(["PUBSUB", "CHANNELS", "queuert_*:sched"], undefined);
    if (!Array.isArray(channels)) throw new Error("no channels");
    expect(channels.length).toBe(1);
    await command(["EVAL", flood, "0", String(channels[0])], undefined);
    await expectRecovery(pair);
    await command(["CONFIG", "SET", "client-output-buffer-limit", "pubsub 32mb 8mb 60"], undefined);
    await admin.close();
  });

  it("rejects to listen while the server is away, and listens when it is back", async () => {
    const prefix = redis.namespace();
    const { adapter } = await openAdapter(proxy.url, prefix);
    await proxy.refuse();
    const listen = () =>
      adapter.listenJobScheduled({ typeNames: ["email"], onJobScheduled: () => undefined });
    await expect(listen()).rejects.toThrow();
    await proxy.heal();
    await listen();
  });

  it("leaves the client it was given as it was", async () => {
    const { adapter, ping } = await openAdapter(redis.url, redis.namespace());
    await adapter.listenJobOwnershipLost({ onOwnershipLost: () => undefined });
    await adapter.close();
    await adapter.close();
    await ping();
  });
});
