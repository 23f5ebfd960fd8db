// Sentinel: the master dies, its replica takes over at another address, and both connections find their way there.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type RedisService, startRedis } from "@queuert/test-services/redis";
import { Redis } from "ioredis";
import { Redis as Redis6 } from "ioredis-6";
import { createSentinel } from "redis";
import { createSentinel as createSentinel5 } from "redis-5";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createRedisNotifyAdapter, type RedisNotifyProvider } from "../src/index.ts";
import { createIoredisNotifyProvider } from "../src/providers/ioredis.ts";
import {
  createNodeRedisNotifyProvider,
  type NodeRedisSentinel,
} from "../src/providers/node-redis.ts";

const masterName = "queuert";
const failoverMs = 15_000;

let servers: RedisService[];
let sentinel: { readonly port: number; readonly process: ChildProcess; readonly folder: string };

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const bound = server.address();
  server.close();
  await once(server, "close");
  if (bound === null || typeof bound === "string") throw new Error("no port");
  return bound.port;
};

const run = async (port: number, ...commands: readonly (readonly string[])[]): Promise<void> => {
  const client = new Redis({ port, host: "127.0.0.1", retryStrategy: () => 20 });
  client.on("error", () => undefined);
  for (const [name = "", ...rest] of commands) await client.call(name, ...rest);
  client.disconnect();
};

beforeEach(async () => {
  servers = [await startRedis({ exclusive: true }), await startRedis({ exclusive: true })];
  const [master, replica] = servers.map(({ port }) => String(port));
  await run(Number(replica), ["REPLICAOF", "127.0.0.1", master ?? ""]);
  const folder = mkdtempSync(join(tmpdir(), "queuert-sentinel-"));
  const port = await freePort();
  // Sentinel writes its state into its configuration, so it needs a writable one.
  const path = join(folder, "sentinel.conf");
  writeFileSync(
    path,
    [
      `port ${port}`,
      "bind 127.0.0.1",
      `dir ${folder}`,
      `sentinel monitor ${masterName} 127.0.0.1 ${master} 1`,
      `sentinel down-after-milliseconds ${masterName} 300`,
      `sentinel failover-timeout ${masterName} 2000`,
      "",
    ].join("\n"),
  );
  const process = spawn("redis-server", [path, "--sentinel"], { stdio: "ignore" });
  sentinel = { port, process, folder };
  await vi.waitFor(
    async () => {
      const client = new Redis({ port, host: "127.0.0.1" });
      client.on("error", () => undefined);
      const replicas = await client.call("SENTINEL", "REPLICAS", masterName);
      client.disconnect();
      expect(replicas).toHaveLength(1);
      expect(JSON.stringify(replicas)).toContain('"master-link-status","ok"');
    },
    { timeout: failoverMs, interval: 200 },
  );
});

afterEach(async () => {
  const ended = once(sentinel.process, "exit");
  sentinel.process.kill("SIGKILL");
  await ended;
  rmSync(sentinel.folder, { recursive: true, force: true });
  await Promise.all(servers.map((server) => server.close()));
});

interface SentinelClient {
  readonly provider: RedisNotifyProvider;
  readonly close: () => Promise<void>;
}

const address = (): { readonly host: string; readonly port: number } => ({
  host: "127.0.0.1",
  port: sentinel.port,
});

const ioredis = async (client: Redis | Redis6): Promise<SentinelClient> => ({
  provider: createIoredisNotifyProvider({ client }),
  close: async () => {
    client.disconnect();
  },
});

const nodeRedis = async (
  client: NodeRedisSentinel & { connect(): Promise<unknown>; destroy(): Promise<unknown> },
): Promise<SentinelClient> => {
  client.on("error", () => undefined);
  await client.connect();
  return {
    provider: createNodeRedisNotifyProvider({ client }),
    close: async () => {
      await client.destroy();
    },
  };
};

const nodeRedisOptions = () => ({ name: masterName, sentinelRootNodes: [address()] });

const clients: readonly (readonly [name: string, open: () => Promise<SentinelClient>])[] = [
  ["ioredis 5", () => ioredis(new Redis({ sentinels: [address()], name: masterName }))],
  ["ioredis 6", () => ioredis(new Redis6({ sentinels: [address()], name: masterName }))],
  ["redis 5", () => nodeRedis(createSentinel5(nodeRedisOptions()))],
  ["redis 6", () => nodeRedis(createSentinel(nodeRedisOptions()))],
];

describe.each(clients)("Sentinel with %s", (_name, openClient) => {
  it("goes on with the new master", { timeout: 60_000 }, async () => {
    const open = async () => {
      const { provider, close } = await openClient();
      return { close, adapter: await createRedisNotifyAdapter({ provider, pingIntervalMs: 500 }) };
    };
    const listener = await open();
    const notifier = await open();
    let heard = 0;
    await listener.adapter.listenJobScheduled({
      typeNames: ["email"],
      onJobScheduled: () => (heard += 1),
    });
    const notify = () => notifier.adapter.notifyJobScheduled([{ typeName: "email", count: 1 }]);
    await vi.waitFor(async () => {
      await notify();
      expect(heard).toBeGreaterThan(0);
    });

    await servers[0]?.kill();
    await vi.waitFor(
      () => {
        expect(listener.adapter.stats().reconnected).toBeGreaterThan(0);
      },
      { timeout: failoverMs },
    );
    heard = 0;
    await vi.waitFor(
      async () => {
        await notify();
        expect(heard).toBeGreaterThan(0);
      },
      { timeout: failoverMs, interval: 100 },
    );
    for (const { adapter, close } of [listener, notifier]) {
      await adapter.close();
      await close();
    }
  });
});
