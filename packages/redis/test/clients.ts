// The ways to reach Redis that the providers know, each in both supported versions of its client.
import { Cluster, Redis } from "ioredis";
import { Cluster as Cluster6, Redis as Redis6 } from "ioredis-6";
import { createClient, createCluster } from "redis";
import { createClient as createClient5, createCluster as createCluster5 } from "redis-5";
import type { RedisNotifyProvider } from "../src/index.ts";
import {
  createIoredisNotifyProvider,
  type IoredisCluster,
  type IoredisSingle,
} from "../src/providers/ioredis.ts";
import {
  createNodeRedisNotifyProvider,
  type NodeRedisCluster,
  type NodeRedisSingle,
} from "../src/providers/node-redis.ts";

export interface OpenedClient {
  readonly provider: RedisNotifyProvider;
  /** A command on the user's own client, to see that it still works. */
  readonly ping: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

export interface ClusterAddress {
  readonly host: string;
  readonly port: number;
}

export type OpenSingle = (url: string) => Promise<OpenedClient>;
export type OpenCluster = (nodes: readonly ClusterAddress[]) => Promise<OpenedClient>;

// The tests check lost connections; here the errors are ignored.
const ignore = (): void => undefined;

type Used = "connect" | "ping" | "disconnect";

const ioredis = async (made: Redis | Cluster | Redis6 | Cluster6): Promise<OpenedClient> => {
  // As the provider sees it: the versions' own types have no common signatures to call.
  const client: (IoredisSingle | IoredisCluster) & Pick<IoredisSingle, Used> = made;
  client.on("error", ignore);
  await client.connect();
  return {
    provider: createIoredisNotifyProvider({ client }),
    ping: () => client.ping(),
    close: async () => {
      client.disconnect();
    },
  };
};

const single = async (
  // Not the clients' own types: comparing those of two versions takes minutes and gigabytes.
  client: NodeRedisSingle,
): Promise<OpenedClient> => {
  client.on("error", ignore);
  await client.connect();
  return {
    provider: createNodeRedisNotifyProvider({ client }),
    ping: () => client.ping(),
    close: async () => {
      client.destroy();
    },
  };
};

const cluster = async (
  client: NodeRedisCluster & Pick<NodeRedisSingle, "connect" | "destroy">,
): Promise<OpenedClient> => {
  client.on("error", ignore);
  await client.connect();
  const provider = createNodeRedisNotifyProvider({ client });
  return {
    provider,
    ping: () => provider.command(["PING"], undefined),
    close: async () => {
      client.destroy();
    },
  };
};

const roots = (nodes: readonly ClusterAddress[]): { readonly url: string }[] =>
  nodes.map(({ host, port }) => ({ url: `redis://${host}:${port}` }));

export const singleClients: readonly (readonly [name: string, open: OpenSingle])[] = [
  ["ioredis 5", (url) => ioredis(new Redis(url, { lazyConnect: true }))],
  ["ioredis 6", (url) => ioredis(new Redis6(url, { lazyConnect: true }))],
  ["redis 5", (url) => single(createClient5({ url }))],
  ["redis 6", (url) => single(createClient({ url }))],
];

export const clusterClients: readonly (readonly [name: string, open: OpenCluster])[] = [
  ["ioredis 5", (nodes) => ioredis(new Cluster([...nodes], { lazyConnect: true }))],
  ["ioredis 6", (nodes) => ioredis(new Cluster6([...nodes], { lazyConnect: true }))],
  ["redis 5", (nodes) => cluster(createCluster5({ rootNodes: roots(nodes) }))],
  ["redis 6", (nodes) => cluster(createCluster({ rootNodes: roots(nodes) }))],
];
