import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createNetworkNamespace,
  createWrongClock,
  type PostgresOptions,
  startPgbouncer,
  startPatroni,
  startPostgres,
  startPostgresPair,
  startTcpProxy,
} from "@queuert/test-services";
import { mountSmallDisk } from "../small-disk.ts";
import { restoring, syncingSlowly } from "./own-faults.ts";
import type { OwnFault, OwnFaults, ServiceMeans, StoreService } from "./services.ts";

const startPair = async ({ setup, now }: ServiceMeans): Promise<StoreService> => {
  const isSynchronous = setup === "standby";
  const pair = await startPostgresPair(isSynchronous);
  const { url } = await pair.createDatabase();
  const proxy = await startTcpProxy(url);
  // The standby is behind by all that was committed meanwhile, and becomes the primary.
  const lose = async (durationMs: number): Promise<{ to: number; at: number }> => {
    const to = now();
    await pair.detach();
    await sleep(durationMs);
    await pair.failOver();
    return { to, at: now() };
  };
  return {
    ...{ directStoreUrl: url, storeUrl: proxy.url, store: { server: pair.server, proxy } },
    own: { failOver: isSynchronous ? () => pair.failOver() : lose },
    close: async () => {
      await proxy.close();
      await pair.close();
    },
  };
};

/** Patroni promotes the standby by itself, and the old leader comes back as the standby. */
const startUnderPatroni = async ({ setup, now }: ServiceMeans): Promise<StoreService> => {
  const isSynchronous = setup === "patroni";
  const cluster = await startPatroni(isSynchronous);
  const { url } = await cluster.createDatabase();
  const proxy = await startTcpProxy(url);
  /** An asynchronous standby lacks the last commits of its leader, whenever it becomes the leader. */
  const losing =
    (fault: OwnFault): OwnFault =>
    async (durationMs, amount) => {
      const to = now();
      await fault(durationMs, amount);
      return isSynchronous ? undefined : { to, at: now() };
    };
  return {
    ...{ directStoreUrl: url, storeUrl: proxy.url, store: { server: cluster.server, proxy } },
    own: {
      // An asynchronous standby always is behind; a synchronous one every second time, when no commit is acknowledged meanwhile.
      failOver: losing(async (durationMs, amount) => {
        if (!isSynchronous || amount > 0) {
          cluster.disconnect();
          await sleep(durationMs);
        }
        await cluster.failOver();
      }),
      // The leader cannot prove that it is the leader, and steps down.
      etcdDown: losing(async (durationMs) => {
        await cluster.etcd.kill();
        await sleep(durationMs);
        await cluster.etcd.start();
        await cluster.waitUntilWhole();
      }),
    },
    close: async () => {
      await proxy.close();
      await cluster.close();
    },
  };
};

/** Packets are lost between the server and its clients, which no proxy keeps apart. */
const startApart = async (options: PostgresOptions): Promise<StoreService> => {
  const network = createNetworkNamespace();
  const server = await startPostgres({ ...options, network });
  const { url } = await server.createDatabase();
  const cut = async (direction: "toServer" | "fromServer", durationMs: number): Promise<void> => {
    network.cut(direction);
    await sleep(durationMs);
    network.heal();
  };
  return {
    ...{ directStoreUrl: url, storeUrl: url, store: { server, proxy: null } },
    own: {
      partitionTo: (durationMs) => cut("toServer", durationMs),
      partitionFrom: (durationMs) => cut("fromServer", durationMs),
      // Bursts of lost packets, which TCP sends again.
      drops: async (durationMs, amount) => {
        for (const until = performance.now() + durationMs; performance.now() < until;) {
          await cut(amount % 2 === 0 ? "toServer" : "fromServer", amount);
          await sleep(amount);
        }
      },
    },
    close: async () => {
      await server.close();
      network.close();
    },
  };
};

const stepping = (set: (seconds: number) => void): OwnFaults => ({
  serverClock: async (durationMs, amount) => {
    set(amount / 1_000);
    await sleep(durationMs);
    set(0);
  },
});

const startOne = async (means: ServiceMeans, given: PostgresOptions): Promise<StoreService> => {
  const { setup, folder, now } = means;
  const disk = setup === "smallDisk" ? mountSmallDisk(join(folder, "disk")) : null;
  const clock = setup === "clock" ? createWrongClock(folder) : null;
  const server = await startPostgres({
    ...given,
    ...(disk === null ? {} : { dataFolder: disk.folder }),
    ...(clock === null ? {} : { environment: clock.environment }),
  });
  const { url } = await server.createDatabase();
  const pooler = setup === "pooler" ? await startPgbouncer(server.url) : null;
  const proxy = await startTcpProxy(pooler?.through(url) ?? url);
  return {
    ...{ directStoreUrl: url, storeUrl: proxy.url, store: { server, proxy } },
    own: {
      ...restoring(server, now),
      ...syncingSlowly(server.pids),
      ...(clock === null ? {} : stepping(clock.set)),
      ...(pooler === null ? {} : { poolerRestart: () => pooler.restart() }),
      ...(disk === null ? {} : { diskFull: (ms) => disk.fill(ms, server) }),
    },
    close: async () => {
      await proxy.close();
      await pooler?.close();
      await server.close();
      await disk?.unmount();
    },
  };
};

export const startPostgresStore = (means: ServiceMeans): Promise<StoreService> => {
  const { setup } = means;
  if (setup === "standby" || setup === "asyncStandby") return startPair(means);
  if (setup === "patroni" || setup === "asyncPatroni") return startUnderPatroni(means);
  // Durable: if a server loses acknowledged writes when it crashes, the library would be blamed.
  const options: PostgresOptions = { exclusive: true, durability: "default" };
  return setup === "network" ? startApart(options) : startOne(means, options);
};
