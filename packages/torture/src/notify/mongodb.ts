import { createMongoNotifyAdapter } from "@queuert/mongodb";
import { createMongodbProvider } from "@queuert/mongodb/mongodb";
import { MongoClient } from "mongodb";
import type { OpenTransportAt } from "./transport.ts";

export const open: OpenTransportAt = async (url) => {
  const client = new MongoClient(url, { socketTimeoutMS: 4_000, serverSelectionTimeoutMS: 2_000 });
  const notify = await createMongoNotifyAdapter({
    provider: createMongodbProvider({ client }),
    // The operation is retried, and the checker examines its effect.
    onError: () => undefined,
  });
  return { notify, close: () => client.close() };
};
