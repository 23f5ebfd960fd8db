import { createRedisNotifyAdapter } from "@queuert/redis";
import { createIoredisNotifyProvider } from "@queuert/redis/ioredis";
import { Redis } from "ioredis";
import { neededUrl } from "../needed-url.ts";
import type { Participant } from "../participant.ts";
import { openWithPg, participant as silent } from "./postgres.ts";

export const participant: Participant = {
  ...silent,
  settings: "as queuert-postgres, notifications over Redis (ioredis) with wake-up hints",
  open: async (target) => {
    const client = new Redis(neededUrl("redisUrl", target));
    const provider = createIoredisNotifyProvider({ client });
    const notifyAdapter = await createRedisNotifyAdapter({
      provider,
      channelPrefix: target.prefix,
    });
    return openWithPg(target, { notifyAdapter, close: async () => client.disconnect() });
  },
};
