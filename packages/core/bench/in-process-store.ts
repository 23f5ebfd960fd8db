// Jobs per second through the in-process store alone: created, acquired and completed in batches. In an empty store,
// and beside a million finished and 200,000 scheduled jobs, which must make no difference.
// Run: npx tsx --conditions=@queuert/source packages/core/bench/in-process-store.ts
import { createInProcessStateAdapter } from "../src/in-process/create-in-process-state-adapter.ts";
import type { InProcessStateAdapter } from "../src/in-process/database.ts";
import type { NewEntryJob } from "../src/adapters/state-adapter-params.ts";

const jobCount = 20_000;
const batchSize = 100;
const finishedCount = 1_000_000;
const scheduledCount = 200_000;
const roundCount = 7;
const workerId = "bench";

const aJob = (fields: Partial<NewEntryJob> = {}): NewEntryJob => ({
  kind: "entry",
  typeName: "bench",
  input: JSON.stringify({ payload: "x".repeat(86) }),
  schedule: null,
  priority: 0,
  awaitsBlockers: false,
  onBlockerFailure: "wait",
  traceContext: null,
  rootSequenceId: null,
  originId: null,
  deduplication: null,
  ...fields,
});

const create = async (
  state: InProcessStateAdapter,
  count: number,
  job: (index: number) => NewEntryJob,
): Promise<void> => {
  for (let start = 0; start < count; start += batchSize) {
    const jobs = Array.from({ length: batchSize }, (_, index) => job(start + index));
    await state.createJobs({ jobs });
  }
};

const acquireAndComplete = async (state: InProcessStateAdapter): Promise<number> => {
  const types = [{ typeName: "bench", leaseMs: 30_000, limit: batchSize }];
  for (let count = 0; ;) {
    const { jobs } = await state.acquireJobs({ workerId, limit: batchSize, types });
    if (jobs.length === 0) return count;
    const { results } = await state.completeJobs({
      workerId,
      completions: jobs.map(({ job }) => ({
        jobId: job.id,
        leaseVersion: job.leaseVersion,
        outcome: { kind: "output", output: "null" },
      })),
    });
    count += results.filter(({ kind }) => kind === "completed").length;
  }
};

interface Rate {
  readonly jobsPerSecond: number;
  /** All threads together, garbage collection included: steadier where others use the machine too. */
  readonly cpuMicrosecondsPerJob: number;
}

const round = async (state: InProcessStateAdapter): Promise<Rate> => {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  await create(state, jobCount, () => aJob());
  const count = await acquireAndComplete(state);
  if (count !== jobCount) throw new Error(`${count} of ${jobCount} jobs were completed`);
  const cpu = process.cpuUsage(cpuBefore);
  return {
    jobsPerSecond: jobCount / ((performance.now() - startedAt) / 1_000),
    cpuMicrosecondsPerJob: (cpu.user + cpu.system) / jobCount,
  };
};

const median = (values: readonly number[]): number =>
  values.toSorted((left, right) => left - right)[values.length >> 1] ?? 0;

const fill = async (state: InProcessStateAdapter): Promise<void> => {
  for (let done = 0; done < finishedCount; done += jobCount) {
    await create(state, jobCount, () => aJob());
    await acquireAndComplete(state);
  }
  await create(state, scheduledCount, (index) =>
    aJob({ schedule: { afterMs: 3_600_000 + ((index * 7_919) % 1_000_000) }, priority: index % 5 }),
  );
};

const empty: InProcessStateAdapter[] = Array.from({ length: roundCount }, () =>
  createInProcessStateAdapter(),
);
const full = createInProcessStateAdapter();
await round(createInProcessStateAdapter());
await fill(full);

const rates: { readonly empty: Rate[]; readonly full: Rate[] } = { empty: [], full: [] };
// In turns, so that other load of the machine affects both alike.
for (const state of empty) {
  rates.empty.push(await round(state));
  rates.full.push(await round(full));
}
const report = (name: string, values: readonly Rate[]): number => {
  const perSecond = values.map(({ jobsPerSecond }) => jobsPerSecond);
  const cpu = median(values.map(({ cpuMicrosecondsPerJob }) => cpuMicrosecondsPerJob));
  const format = (rate: number): string => Math.round(rate).toLocaleString("en");
  console.log(
    `${name}: median ${format(median(perSecond))} jobs/s ` +
      `(${format(Math.min(...perSecond))} to ${format(Math.max(...perSecond))}), ` +
      `${cpu.toFixed(2)} µs of CPU per job`,
  );
  return median(perSecond);
};
const emptyRate = report("empty store", rates.empty);
const fullRate = report("1,000,000 finished + 200,000 scheduled", rates.full);
console.log(`ratio: ${(fullRate / emptyRate).toFixed(2)}`);
