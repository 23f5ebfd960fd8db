// The CPU time of a no-op job, all threads, garbage collection and the in-process store included.
// It measures the built package (node scripts/build.mjs), as users install it. Run it with
// npx tsx packages/core/bench/cpu-per-job.ts [value | callback]
import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";

const settle = process.argv[2] === "callback" ? "callback" : "value";
const jobCount = 20_000;
const rounds = 8;
const input = { text: "x".repeat(88) };

const jobTypeDefinitions = defineUnionJobTypes<{
  noop: { input: { text: string }; output: { ok: true } };
}>();

const round = async (): Promise<number> => {
  const stateAdapter = createInProcessStateAdapter();
  const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions });
  const sequences = Array.from({ length: 10_000 }, () => ({ typeName: "noop" as const, input }));
  for (let started = 0; started < jobCount; started += sequences.length) {
    await queuert.transaction((context) => queuert.startJobSequences({ ...context, sequences }));
  }
  let left = jobCount;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const before = process.cpuUsage();
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "noop",
      process: async ({ job, complete }) => {
        if (job.input.text.length !== 88) throw new Error("the payload was changed");
        if (--left === 0) finish();
        return settle === "value" ? complete({ ok: true }) : complete(async () => ({ ok: true }));
      },
    })
    .start({ concurrency: 100 });
  await finished;
  await worker.stop();
  const { user, system } = process.cpuUsage(before);
  await queuert.close();
  return (user + system) / jobCount;
};

const costs: number[] = [];
// The first two warm up.
for (let index = -2; index < rounds; index++) {
  const cost = await round();
  if (index >= 0) costs.push(cost);
}
const median = costs.toSorted((one, other) => one - other)[rounds >> 1] ?? 0;
const spread = `${Math.min(...costs).toFixed(1)} to ${Math.max(...costs).toFixed(1)}`;
console.log(`${process.version}, by ${settle}: median ${median.toFixed(1)} µs per job (${spread})`);
