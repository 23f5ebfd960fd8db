import { once } from "node:events";
import { createRedisNotifyAdapter } from "@queuert/redis";
import { createIoredisNotifyProvider } from "@queuert/redis/ioredis";
import { Cluster } from "ioredis";
import { type OpenTransportAt, pingIntervalMs } from "./transport.ts";

/** `url`: some of its nodes, separated by commas. */
export const open: OpenTransportAt = async (url) => {
  const nodes = url.split(",").map((node) => {
    const { hostname, port } = new URL(node);
    return { host: hostname, port: Number(port) };
  });
  const client = new Cluster(nodes, { enableOfflineQueue: false, lazyConnect: true });
  // The calls that fail are reported by the adapter.
  client.on("error", () => undefined);
  await client.connect();
  const provider = createIoredisNotifyProvider({ client });
  const notify = await createRedisNotifyAdapter({ provider, pingIntervalMs });
  const close = async (): Promise<void> => {
    const ended = client.status === "end" ? undefined : once(client, "end");
    client.disconnect();
    await ended;
  };
  return { notify, close };
};
