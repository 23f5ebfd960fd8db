// The floors of whole cases: the statements of `floors.ts` in the loops that a careful hand would write.
import { createJobIdGenerator } from "queuert/internal";
import { floorAcquire, floorComplete, floorInsert } from "./floors.ts";
import type { Bench } from "./measure.ts";

const nextId = createJobIdGenerator();
const insertSize = 1_000;

export const insertFloor = async (
  { pool }: Bench,
  count: number,
  size = insertSize,
): Promise<void> => {
  const client = await pool.connect();
  try {
    for (let done = 0; done < count; done += size) {
      await client.query("BEGIN");
      await floorInsert(client, Array.from({ length: size }, nextId), "single");
      await client.query("COMMIT");
    }
  } finally {
    client.release();
  }
};

/** One loop that acquires a hundred in one statement and completes them in one. */
export const drainFloor = async ({ pool }: Bench, count: number): Promise<void> => {
  for (let done = 0; done < count;) {
    const rows = await floorAcquire(pool, "single", 100);
    await floorComplete(
      pool,
      rows.map(({ id }) => id),
    );
    done += rows.length;
  }
};

/** BEGIN, acquire one, write a row, complete it, COMMIT, on each connection. */
export const drainFloorEach = async (
  { pool }: Bench,
  count: number,
  connections: number,
): Promise<void> => {
  let left = count;
  const loop = async (): Promise<void> => {
    const client = await pool.connect();
    try {
      while (left-- > 0) {
        await client.query("BEGIN");
        const [row] = await floorAcquire(client, "single", 1);
        const id = row?.id ?? "";
        await client.query({ ...writeRow, values: [id] });
        await floorComplete(client, [id]);
        await client.query("COMMIT");
      }
    } finally {
      client.release();
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
};

const writeRow = {
  name: "floor_write",
  text: "INSERT INTO floor_row (job_id, note) VALUES ($1, 'done')",
};
