// The speed of the engine by itself: in-process store, one worker, no-op jobs with a 100-byte
// payload. Run it with
// pnpm --filter queuert bench:throughput [--quick]
// Rounds are interleaved. Each figure is a median, beside its ratio to a bare loop of the same run.
// The loop has two Map updates, one JSON round trip and one awaited async function per job.
import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";

const isQuick = process.argv.includes("--quick");
const jobCount = 20_000;
const rounds = isQuick ? 3 : 7;
const payload = { text: "x".repeat(88) };

const jobTypes = defineUnionJobTypes<{
  noop: { input: { text: string }; output: { ok: true } };
  other: { input: { text: string }; output: { ok: true } };
}>();

type Settle = "value" | "callback";

const createClient = async () => {
  const stateAdapter = createInProcessStateAdapter();
  const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions: jobTypes });
  return { stateAdapter, queuert };
};

type Client = Awaited<ReturnType<typeof createClient>>;

const start = async ({ queuert }: Client, count: number, afterMs?: number): Promise<void> => {
  for (let done = 0; done < count; done += 1_000) {
    await queuert.transaction((context) =>
      queuert.startJobSequences({
        ...context,
        sequences: Array.from({ length: Math.min(1_000, count - done) }, () => ({
          typeName: "noop" as const,
          input: payload,
          ...(afterMs === undefined ? {} : { schedule: { afterMs }, priority: 1 }),
        })),
      }),
    );
  }
};

/** Jobs per second from the worker's start to the last completion. */
const drain = async ({ queuert }: Client, settle: Settle, count: number): Promise<number> => {
  let left = count;
  let finish: () => void = () => undefined;
  const finished = new Promise<void>((resolve) => (finish = resolve));
  const ended = (): void => {
    if (--left === 0) finish();
  };
  const startedAt = performance.now();
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "noop",
      process: async ({ job, complete }) => {
        if (job.input.text.length !== 88) throw new Error("the payload was changed");
        ended();
        return settle === "value" ? complete({ ok: true }) : complete(async () => ({ ok: true }));
      },
    })
    .start({ concurrency: 100 });
  await finished;
  // Stopping settles the jobs that are still gathered: it is part of the work.
  await worker.stop();
  return count / ((performance.now() - startedAt) / 1_000);
};

const bareLoop = async (count: number): Promise<number> => {
  const pending = new Map<number, string>();
  for (let id = 0; id < count; id++) pending.set(id, JSON.stringify(payload));
  const done = new Map<number, string>();
  const run = async (input: string): Promise<string> => {
    const parsed = JSON.parse(input) as typeof payload;
    return JSON.stringify({ ok: parsed.text.length === 88 });
  };
  const startedAt = performance.now();
  for (let id = 0; id < count; id++) {
    const output = await run(pending.get(id) ?? "{}");
    pending.delete(id);
    done.set(id, output);
  }
  return count / ((performance.now() - startedAt) / 1_000);
};

const median = (values: readonly number[]): number =>
  [...values].toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

const results = new Map<string, number[]>();
const note = (name: string, value: number): void => {
  results.set(name, [...(results.get(name) ?? []), value]);
};

const full = await createClient();
const finishedCount = isQuick ? 100_000 : 1_000_000;
await start(full, finishedCount);
await drain(full, "value", finishedCount);
await start(full, 200_000, 3_600_000);

for (let round = -1; round < rounds; round++) {
  const cases: [string, () => Promise<number>][] = [
    ["bare loop", () => bareLoop(jobCount)],
    ...(["value", "callback"] as const).flatMap((settle): [string, () => Promise<number>][] => [
      [
        `${settle}, empty store`,
        async () => {
          const client = await createClient();
          await start(client, jobCount);
          return drain(client, settle, jobCount);
        },
      ],
      [
        `${settle}, full store`,
        async () => {
          await start(full, jobCount);
          return drain(full, settle, jobCount);
        },
      ],
    ]),
  ];
  for (const [name, run] of cases.toSorted(() => Math.random() - 0.5)) {
    const value = await run();
    if (round >= 0) note(name, value); // The first round warms up.
  }
}

const bare = median(results.get("bare loop") ?? []);
console.log(`full store: ${finishedCount} finished, 200000 scheduled at a higher priority`);
for (const [name, values] of [...results].toSorted()) {
  const rate = median(values);
  const spread = `${Math.round(Math.min(...values))}–${Math.round(Math.max(...values))}`;
  console.log(
    `${name.padEnd(24)} ${String(Math.round(rate)).padStart(9)} jobs/s  (${spread})  ` +
      `${(rate / bare).toFixed(3)} of the bare loop`,
  );
}
