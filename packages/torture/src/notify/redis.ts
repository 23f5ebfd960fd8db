import { once } from "node:events";
import { createRedisNotifyAdapter } from "@queuert/redis";
import { createIoredisNotifyProvider } from "@queuert/redis/ioredis";
import { Redis } from "ioredis";
import { type OpenTransportAt, pingIntervalMs } from "./transport.ts";

export const open: OpenTransportAt = async (url) => {
  const client = new Redis(url, { maxRetriesPerRequest: 0, enableOfflineQueue: false });
  // It says so of every attempt to connect again; the calls that fail are reported by the adapter.
  client.on("error", () => undefined);
  const provider = createIoredisNotifyProvider({ client });
  const notify = await createRedisNotifyAdapter({ provider, pingIntervalMs });
  const close = async (): Promise<void> => {
    const ended = client.status === "end" ? undefined : once(client, "end");
    client.disconnect();
    await ended;
  };
  return { notify, close };
};
