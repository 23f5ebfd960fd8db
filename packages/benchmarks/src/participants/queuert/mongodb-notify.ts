import { createMongoNotifyAdapter } from "@queuert/mongodb";
import type { Participant } from "../participant.ts";
import { openWithMongodb, participant as silent } from "./mongodb.ts";

export const participant: Participant = {
  ...silent,
  settings: "as queuert-mongodb, notifications over a capped collection",
  open: (target) =>
    openWithMongodb(target, async (client) => ({
      notifyAdapter: await createMongoNotifyAdapter({ provider: { database: client.db() } }),
      close: async () => {},
    })),
};
