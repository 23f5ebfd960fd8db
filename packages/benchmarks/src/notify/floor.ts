// The floor: rows of the same columns, an INSERT, a PUBLISH, and for each message one statement that acquires and one that
// completes. No leases are renewed, nothing is retried, and nobody looks without a message.
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

export const openFloor = async ({ postgresUrl, redisUrl }: Addresses): Promise<Starter> => {
  const pool = new pg.Pool({ connectionString: postgresUrl, max: 4 });
  const redis = new Redis(redisUrl);
  const nextId = createJobIdGenerator();
  return {
    start: async () => {
      const values = [nextId(), JSON.stringify({ at: nowMs() })];
      await pool.query({ ...insertOneQuery, values });
      await redis.publish(channel, "1");
    },
    close: async () => {
      await pool.end();
      redis.disconnect();
    },
  };
};

export const workFloor = async (
  { addresses: { postgresUrl, redisUrl }, concurrency }: WorkerPlan,
  note: (at: number) => void,
): Promise<Working> => {
  const pool = new pg.Pool({ connectionString: postgresUrl, max: 4 });
  await pool.query("SELECT 1");
  const redis = new Redis(redisUrl);
  let count = 0;
  const look = async (): Promise<void> => {
    count += 1;
    const rows = await acquire(pool, "single", concurrency);
    // Written by `openFloor`.
    for (const { input } of rows) note((JSON.parse(input) as { at: number }).at);
    if (rows.length === 0) return;
    await complete(
      pool,
      rows.map(({ id }) => id),
    );
  };
  redis.on("message", () => {
    look().catch((error: unknown) => console.error(error));
  });
  await redis.subscribe(channel);
  return {
    acquisitions: () => count,
    stop: async () => {
      redis.disconnect();
      await pool.end();
    },
  };
};
