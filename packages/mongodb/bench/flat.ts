// The cost of a job beside 1,000,000 finished and 200,000 scheduled jobs, and in an empty store. Both are on one
// server, in turns. `tsx bench/flat.ts`; QUEUERT_TEST_MONGODB_URL names another server, FINISHED and SCHEDULED other counts.
import { startMongodb } from "@queuert/test-services";
import { type Db, MongoClient } from "mongodb";
import { type AdapterBench, openAdapterBench } from "./adapter.ts";
import { median, rate } from "./measure.ts";

const rounds = Number(process.env["ROUNDS"] ?? 7);
const finished = Number(process.env["FINISHED"] ?? 1_000_000);
const scheduled = Number(process.env["SCHEDULED"] ?? 200_000);
const dayMs = 86_400_000;

const service = await startMongodb({ durability: "default" });
const client = new MongoClient(service.url);

const toDocument = (number: number): object => {
  const at = new Date();
  const common = {
    _id: `${(1_700_000_000_000 + number).toString(16).padStart(12, "0")}-filled`,
    ...{ typeName: "task", position: 0, ordinal: number, priority: 0, createdAt: at },
    input: '{"to":"somebody@example.com"}',
  };
  if (number < finished) {
    const end = { status: "completed", finishedAt: at, completedBy: "bench", output: '"done"' };
    return { ...common, ...end, scheduledAt: at, attempt: 1, leaseVersion: 1, lastAttemptAt: at };
  }
  // Half of them have a higher priority: they are before the due jobs in the index.
  const scheduledAt = new Date(at.getTime() + dayMs);
  const pending = { status: "pending", scheduledAt, attempt: 0, leaseVersion: 0 };
  return { ...common, ...pending, priority: number % 2 };
};

const fill = async (database: Db): Promise<void> => {
  const total = finished + scheduled;
  const jobs = database.collection("queuert_jobs");
  for (let done = 0; done < total; done += 10_000) {
    const count = Math.min(10_000, total - done);
    await jobs.insertMany(Array.from({ length: count }, (_, index) => toDocument(done + index)));
  }
  // The order of creation goes on after these documents.
  await database
    .collection<{ _id: string }>("queuert_counters")
    .updateOne({ _id: "ordinal" }, { $set: { value: total, at: new Date() } }, { upsert: true });
};

const drain = async (subject: AdapterBench): Promise<void> => {
  while ((await subject.claimAndComplete()) > 0);
};

const starts = async (subject: AdapterBench, count: number): Promise<void> => {
  for (let started = 0; started < count; started++) await subject.startOne();
};

interface Row {
  readonly name: string;
  readonly count: number;
  /** Whether jobs are there before the clock runs. */
  readonly needsJobs: boolean;
  readonly run: (subject: AdapterBench, count: number) => Promise<void>;
}

const rows: readonly Row[] = [
  { name: "start, one transaction each", count: 300, needsJobs: false, run: starts },
  {
    name: "start 1,000 at once",
    ...{ count: 1_000, needsJobs: false },
    run: (subject, count) => subject.insert(count),
  },
  { name: "drain by value", count: 3_000, needsJobs: true, run: drain },
  {
    name: "drain by callback",
    ...{ count: 300, needsJobs: true },
    run: (subject, count) => subject.transactionEach(count),
  },
];

const open = async (name: string): Promise<AdapterBench> => openAdapterBench(client, name);
const subjects = { empty: await open("flat_empty"), full: await open("flat_full") };
if ((await client.db("flat_full").collection("queuert_jobs").estimatedDocumentCount()) === 0) {
  await fill(client.db("flat_full"));
}

for (const { name, count, needsJobs, run } of rows) {
  const rates = { empty: [] as number[], full: [] as number[] };
  for (let round = 0; round <= rounds; round++) {
    // In turns, and each first as often as the other.
    const keys = round % 2 === 0 ? (["empty", "full"] as const) : (["full", "empty"] as const);
    for (const key of keys) {
      const subject = subjects[key];
      await drain(subject);
      if (needsJobs) await subject.insert(count);
      const measured = await rate(count, () => run(subject, count));
      // The first round warms up.
      if (round > 0) rates[key].push(measured);
    }
  }
  const [empty, full] = [median(rates.empty), median(rates.full)];
  console.log(
    `${name.padEnd(28)} empty ${empty.toFixed(0).padStart(6)}/s  full ${full.toFixed(0).padStart(6)}/s  ` +
      `ratio ${(full / empty).toFixed(2)}`,
  );
}

await client.close();
await service.close();
