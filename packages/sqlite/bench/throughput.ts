// The rate of the adapter in comparison with SQLite itself:
//   pnpm --filter @queuert/sqlite bench:throughput [--quick].
// It measures the built packages, as users install them, because tsx makes functions slower.
// Floors and cases take turns in random order within each round. Figures are medians, the last column is the ratio to the floor.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { adapterDrain, adapterStart } from "./adapter-cases.ts";
import { type BenchClient, drain, openClient, start } from "./client.ts";
import { floorDrain, floorStart } from "./floors.ts";
import { fillTable } from "./full-table.ts";
import { plainjobDrain } from "./plainjob.ts";
import { type BenchCase, measure } from "./measure.ts";

const isQuick = process.argv.includes("--quick");
const directory = mkdtempSync(join(tmpdir(), "queuert-bench-"));
const jobCount = 20_000;
const singleCount = 5_000;
let files = 0;

const nextFile = (): string => join(directory, `${files++}.db`);

const withClient = async (run: (client: BenchClient) => Promise<number>): Promise<number> => {
  const client = await openClient(nextFile());
  try {
    return await run(client);
  } finally {
    await client.queuert.close();
    await client.stateProvider.close();
  }
};

const drained = (settle: "value" | "callback", count: number) => (): Promise<number> =>
  withClient(async (client) => {
    await start(client, count, 1_000);
    return drain(client, count, settle);
  });

const adapterDrained = (settle: "value" | "callback", count: number) => (): Promise<number> =>
  withClient(async (client) => {
    await adapterStart(client, count, 1_000);
    return adapterDrain(client, count, settle);
  });

const full = await openClient(nextFile());
await fillTable(full, isQuick ? 100_000 : 1_000_000, 200_000);

const cases: readonly BenchCase[] = [
  {
    name: "floor: drain 100 per transaction",
    run: async () => floorDrain(nextFile(), jobCount, 100, false),
  },
  {
    name: "drain by value",
    floor: "floor: drain 100 per transaction",
    run: drained("value", jobCount),
  },
  {
    name: "plainjob: drain",
    floor: "drain by value",
    run: () => plainjobDrain(nextFile(), singleCount),
  },
  {
    name: "drain by value, full table",
    floor: "drain by value",
    run: async () => {
      await start(full, jobCount, 1_000);
      return drain(full, jobCount, "value");
    },
  },
  {
    name: "floor: drain one per transaction, one row",
    run: async () => floorDrain(nextFile(), singleCount, 1, true),
  },
  {
    name: "drain by callback, one row",
    floor: "floor: drain one per transaction, one row",
    run: drained("callback", singleCount),
  },
  {
    name: "floor: start one per transaction",
    run: async () => floorStart(nextFile(), singleCount, 1),
  },
  {
    name: "start one per transaction",
    floor: "floor: start one per transaction",
    run: () => withClient((client) => start(client, singleCount, 1)),
  },
  {
    name: "floor: start 1000 per transaction",
    run: async () => floorStart(nextFile(), jobCount, 1_000),
  },
  {
    name: "start 1000 per transaction",
    floor: "floor: start 1000 per transaction",
    run: () => withClient((client) => start(client, jobCount, 1_000)),
  },
  {
    name: "adapter: drain 100 at a time",
    floor: "floor: drain 100 per transaction",
    run: adapterDrained("value", jobCount),
  },
  {
    name: "adapter: drain one per transaction, one row",
    floor: "floor: drain one per transaction, one row",
    run: adapterDrained("callback", singleCount),
  },
  {
    name: "adapter: start one per transaction",
    floor: "floor: start one per transaction",
    run: () => withClient((client) => adapterStart(client, singleCount, 1)),
  },
  {
    name: "adapter: start 1000 per transaction",
    floor: "floor: start 1000 per transaction",
    run: () => withClient((client) => adapterStart(client, jobCount, 1_000)),
  },
];

await measure(cases, isQuick ? 5 : 7);
await full.queuert.close();
await full.stateProvider.close();
rmSync(directory, { recursive: true, force: true });
