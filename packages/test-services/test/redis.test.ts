import { Cluster, Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import { startRedis } from "../src/redis.ts";
import { startRedisCluster } from "../src/redis-cluster.ts";
import { closing } from "./closing.ts";

describe("redis", () => {
  it("is there again on the same port after restart and kill", async () => {
    await using server = await closing(startRedis({ exclusive: true }));
    await server.restart();
    await server.kill();
    await server.start();
    const client = new Redis(server.url);
    expect(await client.set("key", "value")).toBe("OK");
    client.disconnect();
  });

  it("stops answering while paused", async () => {
    await using server = await closing(startRedis({ exclusive: true }));
    const client = new Redis(server.url);
    await client.ping();
    server.pause();
    const answer = client.ping();
    const late = new Promise((resolve) => setTimeout(resolve, 200, "late"));
    expect(await Promise.race([answer, late])).toBe("late");
    server.resume();
    expect(await answer).toBe("PONG");
    client.disconnect();
  });

  it("gives every test a namespace of its own", async () => {
    await using server = await closing(startRedis());
    expect(server.namespace()).not.toBe(server.namespace());
  });
});

describe("redis-cluster", () => {
  it("spreads keys over three nodes and takes a restarted node back", async () => {
    await using cluster = await closing(startRedisCluster({ exclusive: true }));
    const client = new Cluster(cluster.nodes.map(({ host, port }) => ({ host, port })));
    for (const key of ["a", "b", "c", "d", "e", "f"]) await client.set(key, key);
    const sizes = await Promise.all(client.nodes("master").map((node) => node.dbsize()));
    expect(sizes).toHaveLength(3);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(6);
    await cluster.nodes[1]?.restart();
    await expect.poll(() => client.set("a", "again"), { timeout: 10_000 }).toBe("OK");
    client.disconnect();
  });
});
