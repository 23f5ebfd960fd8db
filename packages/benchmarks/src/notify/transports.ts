// The transports that are compared, each opened by name so that a worker process can open the same one.
import { connect } from "@nats-io/transport-node";
import { createNatsNotifyAdapter } from "@queuert/nats";
import { createPgNotifyAdapter } from "@queuert/postgres";
import { createPgPoolNotifyProvider } from "@queuert/postgres/pg";
import { createRedisNotifyAdapter } from "@queuert/redis";
import { createIoredisNotifyProvider } from "@queuert/redis/ioredis";
import { Redis } from "ioredis";
import pg from "pg";
import { createNoopNotifyAdapter, type NotifyAdapter } from "queuert";

export interface Addresses {
  readonly postgresUrl: string;
  readonly redisUrl: string;
  readonly natsUrl: string;
  /** For channels and subjects: measurements must not wake each other's workers. */
  readonly prefix: string;
}

export type TransportName = "redis" | "redis, no hints" | "nats" | "postgres" | "none";

export interface OpenedTransport {
  readonly notifyAdapter: NotifyAdapter;
  readonly close: () => Promise<void>;
}

const openRedis = async (
  { redisUrl, prefix }: Addresses,
  hints: boolean,
): Promise<OpenedTransport> => {
  const client = new Redis(redisUrl);
  const provider = createIoredisNotifyProvider({ client });
  const notifyAdapter = await createRedisNotifyAdapter({ provider, hints, channelPrefix: prefix });
  return {
    notifyAdapter,
    close: async () => {
      await notifyAdapter.close();
      client.disconnect();
    },
  };
};

const openNats = async ({ natsUrl, prefix }: Addresses): Promise<OpenedTransport> => {
  const nc = await connect({ servers: natsUrl });
  const notifyAdapter = await createNatsNotifyAdapter({ nc, subjectPrefix: prefix });
  return {
    notifyAdapter,
    close: async () => {
      await notifyAdapter.close();
      await nc.close();
    },
  };
};

const openPostgres = async (connectionString: string): Promise<OpenedTransport> => {
  const pool = new pg.Pool({ connectionString, max: 3 });
  const provider = createPgPoolNotifyProvider(pool);
  const notifyAdapter = await createPgNotifyAdapter({ provider });
  return {
    notifyAdapter,
    close: async () => {
      await notifyAdapter.close();
      await pool.end();
    },
  };
};

export const openTransport = async (
  name: TransportName,
  addresses: Addresses,
): Promise<OpenedTransport> => {
  switch (name) {
    case "redis":
      return openRedis(addresses, true);
    case "redis, no hints":
      return openRedis(addresses, false);
    case "nats":
      return openNats(addresses);
    case "postgres":
      return openPostgres(addresses.postgresUrl);
    case "none": {
      const notifyAdapter = createNoopNotifyAdapter();
      return { notifyAdapter, close: () => notifyAdapter.close() };
    }
  }
};
