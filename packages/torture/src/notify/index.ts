import type { StoreName } from "../stores/store.ts";
import type { NotifyName, OpenTransportAt } from "./transport.ts";

const loaders: Readonly<
  Record<Exclude<NotifyName, "none">, () => Promise<{ readonly open: OpenTransportAt }>>
> = {
  postgres: () => import("./postgres.ts"),
  mongodb: () => import("./mongodb.ts"),
  redis: () => import("./redis.ts"),
  nats: () => import("./nats.ts"),
  redisCluster: () => import("./redis-cluster.ts"),
  natsCluster: () => import("./nats.ts"),
};

/** The notify adapters for a store: its own, and those with servers of their own. */
export const notifyNamesFor = (store: StoreName): readonly string[] => [
  "none",
  ...Object.keys(loaders).filter((name) => name === store || /^(redis|nats)/.test(name)),
];

/** Only the client that is asked for is loaded. */
export const loadTransport = async (name: Exclude<NotifyName, "none">): Promise<OpenTransportAt> =>
  (await loaders[name]()).open;
