// Everything that a user would run: starts and workers. Chains and fan-in stand beside our own drain of single jobs.
import { type BenchClient, openClient } from "./client.ts";
import { drainFloor, drainFloorEach, insertFloor } from "./floor-loops.ts";
import { createFloorTable } from "./floors.ts";
import { type Bench, type BenchCase, connectionsMax, rateOf } from "./measure.ts";
import {
  drainChains,
  drainFanIns,
  drainSingles,
  startChains,
  startFanIns,
  startSingles,
} from "./workers.ts";

const countOf = ({ isQuick }: Bench): number => (isQuick ? 10_000 : 20_000);
const fewOf = ({ isQuick }: Bench): number => (isQuick ? 3_000 : 10_000);
const unitsOf = ({ isQuick }: Bench): number => (isQuick ? 500 : 1_000);
const warmUp = 2_000;

const floorOf = async (
  bench: Bench,
  count: number,
  work: (count: number) => Promise<unknown>,
): Promise<number> => {
  await createFloorTable(bench.pool);
  await insertFloor(bench, warmUp + count);
  await work(warmUp);
  return rateOf(count, () => work(count));
};

const drainOurs = async (
  bench: Bench,
  count: number,
  settle: "value" | "callback",
): Promise<number> => {
  const client = await openClient(bench);
  await startSingles(client, warmUp);
  await drainSingles(client, warmUp, settle);
  await startSingles(client, count);
  return rateOf(count, () => drainSingles(client, count, settle));
};

const inUnits = async (
  bench: Bench,
  jobsEach: number,
  start: (client: BenchClient, count: number) => Promise<void>,
  drain: (client: BenchClient, count: number) => Promise<void>,
): Promise<number> => {
  const client = await openClient(bench);
  const count = unitsOf(bench);
  await start(client, 200);
  await drain(client, 200);
  await start(client, count);
  return rateOf(count * jobsEach, () => drain(client, count));
};

/** So many callers, each starting one job after the other in transactions of their own. */
const startCase = (callers: number): BenchCase => {
  const inParallel = async (run: () => Promise<unknown>): Promise<void> => {
    await Promise.all(Array.from({ length: callers }, run));
  };
  return {
    name: `start-${callers}`,
    unit: "jobs/s",
    floor: async (bench) => {
      const each = fewOf(bench) / 3 / callers;
      await createFloorTable(bench.pool);
      await inParallel(() => insertFloor(bench, 50, 1));
      return rateOf(each * callers, () => inParallel(() => insertFloor(bench, each, 1)));
    },
    ours: async (bench) => {
      const each = fewOf(bench) / 3 / callers;
      const client = await openClient(bench);
      await inParallel(() => startSingles(client, 50, 1));
      return rateOf(each * callers, () => inParallel(() => startSingles(client, each, 1)));
    },
  };
};

export const engineCases: readonly BenchCase[] = [
  {
    name: "drain-value",
    unit: "jobs/s",
    floor: (bench) => floorOf(bench, countOf(bench), (count) => drainFloor(bench, count)),
    ours: (bench) => drainOurs(bench, countOf(bench), "value"),
  },
  {
    name: "drain-callback",
    unit: "jobs/s",
    floor: (bench) =>
      floorOf(bench, fewOf(bench), (count) => drainFloorEach(bench, count, connectionsMax)),
    ours: (bench) => drainOurs(bench, fewOf(bench), "callback"),
  },
  {
    name: "chain-5 beside drain-value",
    unit: "jobs/s",
    floor: (bench) => drainOurs(bench, countOf(bench), "value"),
    ours: (bench) => inUnits(bench, 5, startChains, drainChains),
  },
  {
    name: "fan-in-10 beside drain-value",
    unit: "jobs/s",
    floor: (bench) => drainOurs(bench, countOf(bench), "value"),
    ours: (bench) => inUnits(bench, 11, startFanIns, drainFanIns),
  },
  startCase(1),
  startCase(10),
  {
    name: "start-bulk",
    unit: "jobs/s",
    floor: (bench) =>
      floorOf(bench, 1_000, () => Promise.resolve()).then(() =>
        rateOf(countOf(bench), () => insertFloor(bench, countOf(bench))),
      ),
    ours: async (bench) => {
      const client = await openClient(bench);
      await startSingles(client, warmUp);
      return rateOf(countOf(bench), () => startSingles(client, countOf(bench)));
    },
  },
];
