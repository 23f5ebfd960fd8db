// The adapter by itself, without the engine above it. The rest of the whole is the cost of other packages.
import type { NewEntryJob } from "queuert/internal";
import { type BenchClient, openClient } from "./client.ts";
import { drainFloor, insertFloor } from "./floor-loops.ts";
import { createFloorTable } from "./floors.ts";
import { fillStore } from "./full-store.ts";
import { type Bench, type BenchCase, rateOf } from "./measure.ts";

const job: NewEntryJob = {
  kind: "entry",
  typeName: "single",
  input: '{"n":1}',
  schedule: null,
  priority: 0,
  awaitsBlockers: false,
  onBlockerFailure: "wait",
  traceContext: null,
  rootSequenceId: null,
  originId: null,
  deduplication: null,
};

const batchSize = 100;
const insertSize = 1_000;
const workerId = "w";
const types = [{ typeName: "single", leaseMs: 30_000, limit: batchSize }];
const outcome = { kind: "output", output: "null" } as const;
const warmUp = 3_000;

const countOf = ({ isQuick }: Bench): number => (isQuick ? 10_000 : 20_000);

export const create = async ({ stateAdapter }: BenchClient, count: number): Promise<void> => {
  for (let done = 0; done < count; done += insertSize) {
    const jobs = Array.from({ length: insertSize }, () => job);
    await stateAdapter.runInTransaction((context) => stateAdapter.createJobs({ context, jobs }));
  }
};

/** One loop that acquires and completes, a hundred at a time. */
export const drain = async ({ stateAdapter }: BenchClient, count: number): Promise<void> => {
  for (let done = 0; done < count;) {
    const { jobs } = await stateAdapter.acquireJobs({ workerId, limit: batchSize, types });
    const completions = jobs.map(({ job: { id, leaseVersion } }) => ({
      jobId: id,
      leaseVersion,
      outcome,
    }));
    await stateAdapter.completeJobs({ workerId, completions });
    done += jobs.length;
  }
};

const drainRate = async (bench: Bench, count: number): Promise<number> => {
  const client = await openClient(bench);
  await create(client, warmUp + count);
  await drain(client, warmUp);
  return rateOf(count, () => drain(client, count));
};

/** The same beside another transaction, open from before the first job until after the last. */
const drainRateBesideSnapshot = async (bench: Bench, count: number): Promise<number> => {
  const client = await openClient(bench);
  await create(client, warmUp + count);
  await drain(client, warmUp);
  const holder = await bench.pool.connect();
  await holder.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
  await holder.query("SELECT txid_current()");
  try {
    return await rateOf(count, () => drain(client, count));
  } finally {
    await holder.query("ROLLBACK");
    holder.release();
  }
};

const heldCountOf = ({ isQuick }: Bench): number => (isQuick ? 60_000 : 200_000);

export const adapterCases: readonly BenchCase[] = [
  {
    name: "adapter-start-bulk",
    unit: "jobs/s",
    floor: async (bench) => {
      await createFloorTable(bench.pool);
      await insertFloor(bench, warmUp);
      return rateOf(countOf(bench), () => insertFloor(bench, countOf(bench)));
    },
    ours: async (bench) => {
      const client = await openClient(bench);
      await create(client, warmUp);
      return rateOf(countOf(bench), () => create(client, countOf(bench)));
    },
  },
  {
    name: "adapter-drain",
    unit: "jobs/s",
    floor: async (bench) => {
      await createFloorTable(bench.pool);
      await insertFloor(bench, warmUp + countOf(bench));
      await drainFloor(bench, warmUp);
      return rateOf(countOf(bench), () => drainFloor(bench, countOf(bench)));
    },
    ours: (bench) => drainRate(bench, countOf(bench)),
  },
  {
    name: "adapter-drain, full store beside an empty one",
    unit: "jobs/s",
    floor: (bench) => drainRate(bench, countOf(bench)),
    ours: async (bench) => {
      const client = await openClient(bench);
      await fillStore(bench);
      await create(client, warmUp + countOf(bench));
      await drain(client, warmUp);
      return rateOf(countOf(bench), () => drain(client, countOf(bench)));
    },
  },
  {
    name: "adapter-drain, beside a held transaction and without",
    unit: "jobs/s",
    floor: (bench) => drainRate(bench, heldCountOf(bench)),
    ours: (bench) => drainRateBesideSnapshot(bench, heldCountOf(bench)),
  },
];
