import { Cluster, Redis } from "ioredis";
import { createClient, createClientPool, createCluster, createSentinel } from "redis";
import { expect, it } from "vitest";
import { createRedisNotifyAdapter } from "../src/index.ts";
import { createIoredisNotifyProvider } from "../src/providers/ioredis.ts";
import {
  createNodeRedisNotifyProvider,
  type NodeRedisNotifyProviderOptions,
} from "../src/providers/node-redis.ts";

const address = { host: "localhost", port: 6379 };

// They do not connect.
const nodeRedis: readonly NodeRedisNotifyProviderOptions["client"][] = [
  createClient(),
  createCluster({ rootNodes: [] }),
  createSentinel({ name: "main", sentinelRootNodes: [address] }),
];
const ioredis = [
  new Redis({ lazyConnect: true }),
  new Cluster([address], { lazyConnect: true }),
  new Redis({ lazyConnect: true, name: "main", sentinels: [address] }),
];
const others = [undefined, null, "redis://localhost", {}, Promise.resolve(nodeRedis[0])];

it("something else in the place of a provider is refused by its option", async () => {
  const creating = createRedisNotifyAdapter({ client: {} } as never);
  await expect(creating).rejects.toMatchObject({
    code: "QUEUERT_INVALID_OPTION",
    option: "provider",
  });
});

it("something else in the place of a client of ioredis, too", () => {
  for (const client of [...others, ...nodeRedis]) {
    expect(() => createIoredisNotifyProvider({ client } as never)).toThrow(
      "give a `Redis` or a `Cluster` of ioredis",
    );
  }
});

it("and in the place of a client of `redis`", () => {
  for (const client of [...others, ...ioredis, createClientPool()]) {
    expect(() => createNodeRedisNotifyProvider({ client } as never)).toThrow(
      "give the result of `createClient`, `createSentinel` or `createCluster` of `redis`",
    );
  }
});
