// Hand-written SQL on the same server, with rows of the same columns: the speed of the database
// without a library. Two indexes, prepared statements, only results that are needed. It renews no
// leases and retries nothing.
import pg from "pg";
import { createJobIdGenerator } from "queuert/internal";
import {
  connectionsMax,
  createUserRows,
  inspectPostgres,
  withPgClient,
} from "../postgres-server.ts";
import type { FillCounts, Opened, Participant, Target } from "../participant.ts";
import { createFloorTables, fillFloor } from "./postgres-tables.ts";
import { workPerTransaction, workInBatches } from "./postgres-work.ts";
import { insertInTransaction, insertMany, insertOne } from "./postgres-start.ts";

const prepare = async (target: Target): Promise<void> => {
  await withPgClient(target.url, createFloorTables);
  await createUserRows(target);
};

/** With `pipeline`, statements that need no answer of the one before are sent together with it. */
export const openFloor = async (
  { url }: Target,
  { pipeline = false, max = connectionsMax } = {},
): Promise<OpenFloor> => {
  const pool = new pg.Pool({ connectionString: url, max, pipeline });
  const nextId = createJobIdGenerator();
  const opened: Opened = {
    startOne: (payload) => insertOne(pool, nextId(), payload),
    startMany: (workload, unitCount) => insertMany(pool, nextId, workload, unitCount),
    work: (options) =>
      options.workload === "callback"
        ? workPerTransaction(pool, options)
        : workInBatches(pool, url, nextId, options),
    startInTransaction: (payload) => insertInTransaction(pool, nextId(), payload),
    close: () => pool.end(),
  };
  return { pool, nextId, opened };
};

interface OpenFloor {
  readonly pool: pg.Pool;
  readonly nextId: () => string;
  readonly opened: Opened;
}

// Ids begin with the time, so those that a table was filled with are older. The query uses the
// primary key, for the floor has no index for running jobs.
const fresh = "id > '01900000-0000-7000-8000-000000000000'";

export const participant: Participant = {
  store: "postgres",
  settings: `pg pool of ${connectionsMax}, prepared statements; by value in batches, by callback in a transaction for each`,
  workloads: ["value", "callback", "chain", "fan-in"],
  prepare,
  open: async (target) => (await openFloor(target)).opened,
  inspect: (target) =>
    inspectPostgres(target, [
      `floor_job WHERE ${fresh} AND status = 'blocked'`,
      `floor_job WHERE ${fresh} AND status = 'pending'`,
      `floor_job WHERE ${fresh} AND status = 'running'`,
    ]),
  fill: (target: Target, counts: FillCounts) =>
    withPgClient(target.url, (client) => fillFloor(client, counts)),
};
