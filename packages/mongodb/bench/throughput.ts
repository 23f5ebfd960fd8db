// Ratios of the adapter to hand-written calls, in one run on one server, the two taking turns so that both meet the same
// neighbours. `tsx --conditions=@queuert/source bench/throughput.ts`; QUEUERT_TEST_MONGODB_URL names another server.
import { startMongodb } from "@queuert/test-services";
import { MongoClient } from "mongodb";
import { openAdapterBench } from "./adapter.ts";
import { openFloors, type Floors } from "./floors.ts";
import { median, rate } from "./measure.ts";

const rounds = Number(process.env["ROUNDS"] ?? 5);

const service = await startMongodb();
const client = new MongoClient(service.url);
const { name, drop } = await service.createDatabase();
const floor = await openFloors(client, name);
const adapter = await openAdapterBench(client, name);

const drain = async (subject: Floors): Promise<void> => {
  while ((await subject.claimAndComplete()) > 0);
};

interface Row {
  readonly name: string;
  readonly count: number;
  readonly prepare: (subject: Floors, count: number) => Promise<void>;
  readonly run: (subject: Floors, count: number) => Promise<void>;
}

const rows: readonly Row[] = [
  {
    name: "insert 1,000 at once",
    count: 1_000,
    prepare: () => Promise.resolve(),
    run: (subject, count) => subject.insert(count),
  },
  {
    name: "claim 100 + complete 100",
    count: 1_000,
    prepare: async (subject, count) => {
      await drain(subject);
      await subject.insert(count);
    },
    run: drain,
  },
  {
    name: "a transaction per job",
    count: 100,
    prepare: async (subject, count) => {
      await drain(subject);
      await subject.insert(count);
    },
    run: (subject, count) => subject.transactionEach(count),
  },
];

for (const { name: title, count, prepare, run } of rows) {
  const rates = { floor: [] as number[], adapter: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    for (const [key, subject] of [
      ["floor", floor],
      ["adapter", adapter],
    ] as const) {
      await prepare(subject, count);
      const measured = await rate(count, () => run(subject, count));
      // The first round warms up.
      if (round > 0) rates[key].push(measured);
    }
  }
  const [low, own] = [median(rates.floor), median(rates.adapter)];
  console.log(
    `${title.padEnd(28)} floor ${low.toFixed(0).padStart(6)}/s  adapter ${own.toFixed(0).padStart(6)}/s  ` +
      `ratio ${(own / low).toFixed(2)}`,
  );
}

await drop();
await client.close();
await service.close();
