import { providedRedis, providedRedisCluster } from "@queuert/test-services/provided";
import { startRedis, type RedisService } from "@queuert/test-services/redis";
import { startTcpProxy, type TcpProxy } from "@queuert/test-services/tcp-proxy";
import { extendWithCommon, notifyAdapterTestSuite } from "queuert/testing";
import { afterAll, beforeAll, describe, it as vitestIt } from "vitest";
import { extendWithNotifyRedis } from "../src/testing.ts";
import { clusterClients, singleClients } from "./clients.ts";

// Through a proxy, so that connections can be cut; not the one server all share, whose clients would be cut too.
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

describe.each(singleClients)("%s", (_name, open) => {
  const it = extendWithNotifyRedis(extendWithCommon(vitestIt), {
    connect: () => open(proxy.url),
    channelPrefix: () => redis.namespace(),
    breakConnections: async () => {
      proxy.cutAll();
    },
  });
  notifyAdapterTestSuite({ it, hints: true, network: true });
});

// `cluster-faults.test.ts` cuts the connections of a cluster.
describe.each(clusterClients)("%s, cluster", (_name, open) => {
  const it = extendWithNotifyRedis(extendWithCommon(vitestIt), {
    connect: () => open(providedRedisCluster().nodes),
    channelPrefix: () => providedRedis().namespace(),
  });
  notifyAdapterTestSuite({ it, hints: true, network: false });
});
