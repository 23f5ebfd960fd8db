import { type RedisService, startRedis } from "@queuert/test-services/redis";
import { startRedisCluster } from "@queuert/test-services/redis-cluster";
import { startTcpProxy } from "@queuert/test-services/tcp-proxy";
import { createRedisNotifyAdapter } from "@queuert/redis";
import { createIoredisNotifyProvider } from "@queuert/redis/ioredis";
import { Cluster, Redis } from "ioredis";
import {
  type Fault,
  type FaultyBroker,
  type OpenedNotify,
  sendGarbage,
  wireFaults,
} from "./broker.ts";

const ignore = (): void => undefined;
const nothing = async (): Promise<void> => undefined;

const openAdapter = async (
  client: Redis | Cluster,
  channelPrefix: string,
  isDropped: () => boolean = () => false,
): Promise<OpenedNotify> => {
  client.on("error", ignore);
  const real = createIoredisNotifyProvider({ client });
  const provider: typeof real = {
    ...real,
    command: async (words, key) =>
      words.includes(`${channelPrefix}:sched`) && isDropped() ? 0 : real.command(words, key),
  };
  const notifyAdapter = await createRedisNotifyAdapter({ provider, channelPrefix });
  return {
    notifyAdapter,
    close: async () => {
      await notifyAdapter.close();
      client.disconnect();
    },
  };
};

type Proxy = Awaited<ReturnType<typeof startTcpProxy>>;

const serverFaults = (redis: RedisService, proxy: Proxy, admin: Redis): readonly Fault[] => [
  ...wireFaults(redis, proxy),
  {
    name: "authentication refused",
    begin: async () => {
      await admin.config("SET", "requirepass", "secret");
      proxy.cutAll();
      return async () => void (await admin.config("SET", "requirepass", ""));
    },
  },
];

const channelsOf = async (admin: Redis): Promise<readonly string[]> =>
  (await admin.call("PUBSUB", "CHANNELS", "*:sched")) as string[];

const messageFaults = (
  admin: Redis,
  setDropping: (isDropping: boolean) => void,
): readonly Fault[] => [
  {
    name: "subscribers dropped for reading too slowly",
    begin: async () => {
      await admin.config("SET", "client-output-buffer-limit", "pubsub 100kb 0 0");
      const flood = `for i = 1, 2000 do redis.call('PUBLISH', ARGV[1], string.rep('x', 1000)) end`;
      for (const channel of await channelsOf(admin)) await admin.eval(flood, 0, channel);
      return async () =>
        void (await admin.config("SET", "client-output-buffer-limit", "pubsub 32mb 8mb 60"));
    },
  },
  {
    name: "every second message dropped",
    begin: async () => {
      setDropping(true);
      return async () => setDropping(false);
    },
  },
  {
    name: "foreign and broken messages",
    begin: async () => {
      for (const channel of await channelsOf(admin)) {
        await sendGarbage((text) => admin.publish(channel, text));
      }
      return nothing;
    },
  },
  {
    name: "keys and scripts flushed, again and again",
    begin: async () => {
      const flush = (): void =>
        void Promise.all([admin.flushall(), admin.script("FLUSH")]).catch(ignore);
      const timer = setInterval(flush, 50);
      return async () => clearInterval(timer);
    },
  },
];

export const openRedisFaults = async (): Promise<FaultyBroker> => {
  const redis = await startRedis({ exclusive: true });
  const proxy = await startTcpProxy(redis.url);
  const admin = new Redis(redis.url);
  admin.on("error", ignore);
  let isDropping = false;
  let messageCount = 0;
  const isDropped = (): boolean => isDropping && ++messageCount % 2 === 0;
  return {
    name: "Redis",
    faults: [
      ...serverFaults(redis, proxy, admin),
      ...messageFaults(admin, (isOn) => (isDropping = isOn)),
    ],
    open: (prefix) =>
      openAdapter(new Redis(proxy.url, { socketTimeout: 3_000 }), prefix, isDropped),
    close: async () => {
      admin.disconnect();
      await proxy.close();
      await redis.close();
    },
  };
};

/** One run needs a cluster of its own: a master that was killed stays away. */
export const openRedisClusterFaults = async (): Promise<FaultyBroker> => {
  let cluster = await startRedisCluster({ exclusive: true, withReplicas: true });
  let isUsed = false;
  const renew = async (): Promise<void> => {
    if (!isUsed) return;
    isUsed = false;
    await cluster.close();
    cluster = await startRedisCluster({ exclusive: true, withReplicas: true });
  };
  return {
    name: "Redis Cluster",
    faults: [
      {
        name: "a master killed, its replica takes over",
        begin: async () => {
          isUsed = true;
          await cluster.nodes[0]?.kill();
          return nothing;
        },
      },
    ],
    open: async (prefix) => {
      await renew();
      return openAdapter(
        new Cluster([...cluster.nodes.map(({ host, port }) => ({ host, port }))]),
        prefix,
      );
    },
    close: () => cluster.close(),
  };
};
