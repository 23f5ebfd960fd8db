// The floor: rows of the same columns, an INSERT, a message, and for each message one statement
// that acquires and one that completes. It renews no leases, retries nothing, and does not query
// without a message.
import { connect } from "@nats-io/transport-node";
import { Redis } from "ioredis";
import pg from "pg";
import { createJobIdGenerator } from "queuert/internal";
import { insertOneQuery } from "../participants/floors/postgres-start.ts";
import { createFloorTables } from "../participants/floors/postgres-tables.ts";
import { acquire, complete } from "../participants/floors/postgres-work.ts";
import { nowMs } from "./client.ts";
import type { Starter, Working } from "./others.ts";
import type { Addresses } from "./transports.ts";
import type { WorkerPlan } from "./worker-plan.ts";

const channel = "floor";

export const prepareFloor = async ({ postgresUrl }: Addresses): Promise<void> => {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await createFloorTables(client);
  await client.end();
};

interface Messages {
  readonly send: () => Promise<unknown>;
  readonly hear: (onMessage: () => void) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const overRedis = ({ redisUrl }: Addresses): Messages => {
  const redis = new Redis(redisUrl);
  return {
    send: () => redis.publish(channel, "1"),
    hear: (onMessage) => {
      redis.on("message", onMessage);
      return redis.subscribe(channel);
    },
    close: async () => redis.disconnect(),
  };
};

const overNats = async ({ natsUrl }: Addresses): Promise<Messages> => {
  const nc = await connect({ servers: natsUrl });
  return {
    send: () => {
      nc.publish(channel, "1");
      return nc.flush();
    },
    hear: (onMessage) => {
      nc.subscribe(channel, { callback: onMessage });
      return nc.flush();
    },
    close: () => nc.close(),
  };
};

const openMessages = ({ addresses, transport }: WorkerPlan): Messages | Promise<Messages> =>
  transport === "nats" ? overNats(addresses) : overRedis(addresses);

export const openFloor = async (plan: WorkerPlan): Promise<Starter> => {
  const pool = new pg.Pool({ connectionString: plan.addresses.postgresUrl, max: 4 });
  const messages = await openMessages(plan);
  const nextId = createJobIdGenerator();
  return {
    start: async () => {
      const values = [nextId(), JSON.stringify({ at: nowMs() })];
      await pool.query({ ...insertOneQuery, values });
      await messages.send();
    },
    close: async () => {
      await pool.end();
      await messages.close();
    },
  };
};

export const workFloor = async (plan: WorkerPlan, note: (at: number) => void): Promise<Working> => {
  const pool = new pg.Pool({ connectionString: plan.addresses.postgresUrl, max: 4 });
  await pool.query("SELECT 1");
  const messages = await openMessages(plan);
  let count = 0;
  const look = async (): Promise<void> => {
    count += 1;
    const rows = await acquire(pool, "single", plan.concurrency);
    // Written by `openFloor`.
    for (const { input } of rows) note((JSON.parse(input) as { at: number }).at);
    if (rows.length === 0) return;
    await complete(
      pool,
      rows.map(({ id }) => id),
    );
  };
  await messages.hear(() => {
    look().catch((error: unknown) => console.error(error));
  });
  return {
    acquisitions: () => count,
    stop: async () => {
      await messages.close();
      await pool.end();
    },
  };
};
