// Three masters: enough for slots, redirections and the loss of a node. With a replica each, for a failover, too.
import { setTimeout as sleep } from "node:timers/promises";
import { fromEnvironment, type ServiceOptions, uniqueName } from "./options.ts";
import { ask, expectAnswer } from "./process/ask.ts";
import { createFolder } from "./process/folder.ts";
import { freePort } from "./process/ports.ts";
import { createServer, foreignServer, type ServerControl } from "./process/server.ts";
import { redisBinary } from "./redis.ts";

export type RedisClusterNode = ServerControl & { readonly host: string; readonly port: number };

export type RedisClusterOptions = ServiceOptions & {
  /** A replica for each master, which takes over when that is gone. */
  readonly withReplicas?: boolean;
};

export type RedisClusterService = {
  /** The masters, then their replicas in the same order. */
  readonly nodes: readonly RedisClusterNode[];
  readonly namespace: () => string;
  readonly close: () => Promise<void>;
};

// A node speaks to the others on its port plus this.
const busOffset = 10_000;
const slotCount = 16_384;
const nodeCount = 3;
const formTimeoutMs = 20_000;

const startNode = async (binary: string): Promise<RedisClusterNode> => {
  const folder = createFolder("redis-cluster", "SIGTERM");
  const port = await freePort([busOffset]);
  const server = createServer({
    name: "redis-cluster",
    folder,
    command: [
      ...[binary, "--port", String(port), "--bind", "127.0.0.1"],
      ...["--dir", folder.createInside("data"), "--save", "", "--appendonly", "no"],
      ...["--cluster-enabled", "yes", "--cluster-node-timeout", "2000"],
      // A replica waits for others to come before it is served, otherwise.
      ...["--repl-diskless-sync-delay", "0"],
    ],
    stopSignal: "SIGTERM",
    ping: () => expectAnswer(port, "PING", "+PONG"),
  });
  await server.start();
  return { ...server, host: "127.0.0.1", port };
};

const form = async (nodes: readonly RedisClusterNode[]): Promise<void> => {
  const slotsEach = Math.ceil(slotCount / nodeCount);
  const [first] = nodes;
  for (const [index, { port }] of nodes.entries()) {
    const lowest = index * slotsEach;
    const highest = Math.min(lowest + slotsEach, slotCount) - 1;
    if (index < nodeCount) {
      await expectAnswer(port, `CLUSTER ADDSLOTSRANGE ${lowest} ${highest}`, "+OK");
    }
    await expectAnswer(port, `CLUSTER SET-CONFIG-EPOCH ${index + 1}`, "+OK");
    if (first && index > 0)
      await expectAnswer(port, `CLUSTER MEET ${first.host} ${first.port}`, "+OK");
  }
  const deadline = Date.now() + formTimeoutMs;
  for (const { port } of nodes) {
    const isFormed = async (): Promise<boolean> => {
      const info = await ask(port, "CLUSTER INFO");
      return (
        info.includes("cluster_state:ok") && info.includes(`cluster_known_nodes:${nodes.length}`)
      );
    };
    while (!(await isFormed())) {
      if (Date.now() > deadline) throw new Error("The Redis nodes did not form a cluster");
      await sleep(50);
    }
  }
};

/** Once the nodes know each other: every later one copies the master in its place. */
const replicate = async (nodes: readonly RedisClusterNode[]): Promise<void> => {
  for (const [index, replica] of nodes.slice(nodeCount).entries()) {
    const master = nodes[index];
    if (master === undefined) throw new Error("More replicas than masters");
    const id = /[0-9a-f]{40}/.exec(await ask(master.port, "CLUSTER MYID"))?.[0] ?? "";
    const deadline = Date.now() + formTimeoutMs;
    await expectAnswer(replica.port, `CLUSTER REPLICATE ${id}`, "+OK");
    while (!(await ask(replica.port, "INFO replication")).includes("master_link_status:up")) {
      if (Date.now() > deadline) throw new Error("A Redis replica did not reach its master");
      await sleep(50);
    }
  }
};

const foreignCluster = (urls: string): RedisClusterService => ({
  nodes: urls.split(",").map((url) => {
    const { hostname, port } = new URL(url);
    return { ...foreignServer("Redis Cluster"), host: hostname, port: Number(port || 6379) };
  }),
  namespace: uniqueName,
  close: () => Promise.resolve(),
});

/** `QUEUERT_TEST_REDIS_CLUSTER_URLS`: nodes as redis://host:port, separated by commas. */
export const startRedisCluster = async (
  options: RedisClusterOptions = {},
): Promise<RedisClusterService> => {
  const urls = fromEnvironment("QUEUERT_TEST_REDIS_CLUSTER_URLS", options);
  if (urls !== undefined) return foreignCluster(urls);
  const binary = redisBinary();
  const nodes: RedisClusterNode[] = [];
  const count = options.withReplicas === true ? 2 * nodeCount : nodeCount;
  for (let index = 0; index < count; index += 1) nodes.push(await startNode(binary));
  await form(nodes);
  await replicate(nodes);
  return {
    nodes,
    namespace: uniqueName,
    close: async () => {
      await Promise.all(nodes.map((node) => node.close()));
    },
  };
};
