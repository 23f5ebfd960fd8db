import { setTimeout as sleep } from "node:timers/promises";
import {
  type MongodbOptions,
  type MongodbService,
  startMongodb,
  startTcpProxy,
} from "@queuert/test-services";
import { restoring, syncingSlowly } from "./own-faults.ts";
import type { OwnFaults, ServiceMeans, StoreService } from "./services.ts";

const options: MongodbOptions = {
  ...{ exclusive: true, durability: "default" as const },
  // The locks of a vanished client stay this long: one minute, unless the operator sets another
  // time.
  parameters: { transactionLifetimeLimitSeconds: "5" },
};

/**
 * The primary is alone, accepts writes that no other member has, and is killed. The others elect one of them. Back again, the
 * old primary rolls those writes back.
 */
const rollingBack = (server: MongodbService): OwnFaults => ({
  rollback: async (durationMs) => {
    const primary = await server.primary();
    const others = server.members.filter((member) => member !== primary);
    for (const one of others) one.pause();
    await sleep(durationMs);
    await primary.kill();
    for (const one of others) one.resume();
    await server.waitForPrimary();
    await primary.start();
  },
  // It stands still, the others elect another, and then there are two for a moment.
  memberPause: async (durationMs) => {
    const primary = await server.primary();
    primary.pause();
    await sleep(2_000 + durationMs);
    primary.resume();
    await server.waitForPrimary();
  },
});

const startMembers = async (): Promise<StoreService> => {
  const server = await startMongodb({ ...options, memberCount: 3 });
  const { url } = await server.createDatabase();
  return {
    // Drivers ask the members for their addresses: no proxy is between.
    ...{ directStoreUrl: url, storeUrl: url, store: { server, proxy: null } },
    own: { stepDown: () => server.stepDown(), ...rollingBack(server) },
    close: () => server.close(),
  };
};

export const startMongo = async ({ setup, now }: ServiceMeans): Promise<StoreService> => {
  if (setup === "members") return startMembers();
  const server = await startMongodb(options);
  const { url } = await server.createDatabase();
  const proxy = await startTcpProxy(url);
  // Else the driver would ask the member for its address, and go there past the proxy.
  const storeUrl = proxy.url.replace(/\?.*$/, "?directConnection=true");
  return {
    ...{ directStoreUrl: url, storeUrl, store: { server, proxy } },
    own: {
      stepDown: () => server.stepDown(),
      ...restoring(server, now),
      ...syncingSlowly(server.pids),
    },
    close: async () => {
      await proxy.close();
      await server.close();
    },
  };
};
