import { setTimeout as sleep } from "node:timers/promises";
import {
  type ServerControl,
  startNats,
  startNatsCluster,
  startRedis,
  startRedisCluster,
  startTcpProxy,
} from "@queuert/test-services";
import type { NotifyName } from "../../notify/transport.ts";
import type { NotifyService, OwnFaults, StoreService } from "./services.ts";

/** One node of several is killed, and comes back. */
const losingNodes = (nodes: readonly ServerControl[]): OwnFaults => ({
  notifyNode: async (durationMs, amount) => {
    const node = nodes[amount % nodes.length];
    await node?.kill();
    await sleep(durationMs);
    await node?.start();
  },
});

const startCluster = async (name: "redisCluster" | "natsCluster"): Promise<NotifyService> => {
  const cluster =
    name === "natsCluster"
      ? await startNatsCluster()
      : await startRedisCluster({ exclusive: true, withReplicas: true });
  const url =
    "url" in cluster
      ? cluster.url
      : cluster.nodes.map(({ host, port }) => `redis://${host}:${port}`).join(",");
  return {
    ...{ directNotifyUrl: url, notifyUrl: url, notify: null },
    own: losingNodes(cluster.nodes),
    close: () => cluster.close(),
  };
};

/** `storing`: a store that notifies has faults of its own. */
export const startNotify = async (
  name: NotifyName,
  { directStoreUrl, storeUrl }: StoreService,
): Promise<NotifyService> => {
  if (name === "redisCluster" || name === "natsCluster") return startCluster(name);
  if (name !== "redis" && name !== "nats") {
    const close = (): Promise<void> => Promise.resolve();
    const urls = { directNotifyUrl: directStoreUrl, notifyUrl: storeUrl };
    return { ...urls, notify: null, own: {}, close };
  }
  const server = await (name === "redis" ? startRedis : startNats)({ exclusive: true });
  const proxy = await startTcpProxy(server.url);
  return {
    ...{ directNotifyUrl: server.url, notifyUrl: proxy.url, notify: { server, proxy } },
    own: {},
    close: async () => {
      await proxy.close();
      await server.close();
    },
  };
};
