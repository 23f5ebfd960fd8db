// Jobs under 10,000 keys at limit 1 beside jobs without keys: acquired and completed 100 at a time, in turns on one server.
// `tsx --conditions=@queuert/source bench/keys.ts`. JOBS, KEYS, WORKERS and ROUNDS are other numbers.
import { startMongodb } from "@queuert/test-services";
import { createMongoStateAdapter } from "@queuert/mongodb";
import { createMongodbProvider } from "@queuert/mongodb/mongodb";
import { MongoClient } from "mongodb";
import type { JobCompletion, StateJob } from "queuert/internal";
import { aJob } from "queuert/testing";
import { median, rate } from "./measure.ts";

const rounds = Number(process.env["ROUNDS"] ?? 3);
const jobCount = Number(process.env["JOBS"] ?? 20_000);
const keyCount = Number(process.env["KEYS"] ?? 10_000);
const workers = Number(process.env["WORKERS"] ?? 1);
const workerId = "bench";

const service = await startMongodb({ durability: "default" });
const client = new MongoClient(service.url);
const stateProvider = createMongodbProvider({ client, databaseName: "keys" });
const adapter = await createMongoStateAdapter({ stateProvider });
await adapter.migrateToLatest();
await adapter.setLimits({
  limits: [
    {
      ...{ name: "keyed", concurrency: null, rate: null, declaration: null },
      perKey: { concurrency: 1, rate: null },
    },
  ],
});

const fill = async (typeName: string): Promise<void> => {
  for (let from = 0; from < jobCount; from += 1_000) {
    const jobs = Array.from({ length: Math.min(1_000, jobCount - from) }, (_, index) =>
      aJob({
        typeName,
        ...(typeName === "keyed" && {
          limitKey: { limitName: "keyed", key: `customer-${(from + index) % keyCount}`, cost: 1 },
        }),
      }),
    );
    await adapter.createJobs({ jobs });
  }
};

const toCompletion = ({ id, leaseVersion }: StateJob): JobCompletion => ({
  ...{ jobId: id, leaseVersion },
  outcome: { kind: "output", output: "1" },
});

const drain = async (typeName: string): Promise<void> => {
  let done = 0;
  const work = async (): Promise<void> => {
    while (done < jobCount) {
      const types = [{ typeName, leaseMs: 60_000, limit: 100 }];
      const { jobs } = await adapter.acquireJobs({ workerId, limit: 100, types });
      done += jobs.length;
      if (jobs.length === 0) continue;
      const completions = jobs.map(({ job }) => toCompletion(job));
      await adapter.completeJobs({ workerId, completions });
    }
  };
  await Promise.all(Array.from({ length: workers }, work));
};

const rates: Record<string, number[]> = { plain: [], keyed: [] };
for (let round = 0; round <= rounds; round++) {
  for (const typeName of round % 2 === 0 ? ["plain", "keyed"] : ["keyed", "plain"]) {
    await fill(typeName);
    const measured = await rate(jobCount, () => drain(typeName));
    // The first round warms up.
    if (round > 0) rates[typeName]?.push(measured);
  }
}
const [plain, keyed] = [median(rates["plain"] ?? []), median(rates["keyed"] ?? [])];
console.log(
  `plain ${plain.toFixed(0)}/s  keyed ${keyed.toFixed(0)}/s  ratio ${(keyed / plain).toFixed(2)}`,
);
await client.close();
await service.close();
