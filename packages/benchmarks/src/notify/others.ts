// The comparisons beside the floor. One is the least there could be: a row of three columns that is
// inserted and taken, with a message in between. The other is BullMQ.
import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import pg from "pg";
import { nowMs } from "./client.ts";
import type { Addresses } from "./transports.ts";
import type { WorkerPlan } from "./worker-plan.ts";

export type Working = { readonly acquisitions: () => number; readonly stop: () => Promise<void> };
type Note = (at: number) => void;

export interface Starter {
  readonly start: () => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const channel = "raw";
const queueName = "measured";
const connectionOf = (redisUrl: string): { host: string; port: number } => {
  const { hostname, port } = new URL(redisUrl);
  return { host: hostname, port: Number(port) };
};

export const prepareRaw = async ({ postgresUrl }: Addresses): Promise<void> => {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  await client.query(
    `CREATE TABLE raw_job (id bigserial PRIMARY KEY, at double precision NOT NULL, taken boolean NOT NULL DEFAULT false);
    CREATE INDEX ON raw_job (id) WHERE NOT taken`,
  );
  await client.end();
};

export const openRaw = async ({ postgresUrl, redisUrl }: Addresses): Promise<Starter> => {
  const client = new pg.Client({ connectionString: postgresUrl });
  await client.connect();
  const redis = new Redis(redisUrl);
  return {
    start: async () => {
      await client.query({
        name: "insert",
        text: "INSERT INTO raw_job (at) VALUES ($1)",
        values: [nowMs()],
      });
      await redis.publish(channel, "1");
    },
    close: async () => {
      await client.end();
      redis.disconnect();
    },
  };
};

const takeRaw = `UPDATE raw_job SET taken = true WHERE id =
  (SELECT id FROM raw_job WHERE NOT taken ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING at`;

export const workRaw = async (
  { addresses: { postgresUrl, redisUrl } }: WorkerPlan,
  note: Note,
): Promise<Working> => {
  const pool = new pg.Pool({ connectionString: postgresUrl, max: 4 });
  await pool.query("SELECT 1");
  const redis = new Redis(redisUrl);
  let count = 0;
  redis.on("message", () => {
    count += 1;
    pool.query<{ at: number }>({ name: "take", text: takeRaw }).then(
      ({ rows: [row] }) => {
        if (row !== undefined) note(row.at);
      },
      (error: unknown) => {
        console.error(error);
      },
    );
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

export const openBullmq = ({ redisUrl }: Addresses): Starter => {
  const queue = new Queue(queueName, { connection: connectionOf(redisUrl) });
  return {
    start: () => queue.add("measured", { at: nowMs() }, { removeOnComplete: true }),
    close: () => queue.close(),
  };
};

export const workBullmq = async (
  { addresses: { redisUrl }, concurrency }: WorkerPlan,
  note: Note,
): Promise<Working> => {
  const worker = new Worker<{ at: number }>(queueName, async ({ data }) => note(data.at), {
    connection: connectionOf(redisUrl),
    concurrency,
  });
  await worker.waitUntilReady();
  return { acquisitions: () => 0, stop: () => worker.close() };
};
