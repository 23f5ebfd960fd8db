// One process of a soak: it starts sequences at a steady rate, or works on them, and measures itself when it is asked.
import { setTimeout as sleep } from "node:timers/promises";
import { createQueuert, type DefineContinuationOutput, defineUnionJobTypes } from "queuert";
import { loadTransport } from "../notify/index.ts";
import { createRandom } from "../random.ts";
import { loadStore } from "../stores/index.ts";
import type { Measured, SoakConfig, SoakOrder, SoakReport } from "./protocol.ts";

// The conductor's JSON.
const config = JSON.parse(process.argv[2] ?? "") as SoakConfig;
const { name, role, perSecond, retentionMs } = config;
const report = (message: SoakReport): void => void process.send?.(message);
process.on("disconnect", () => process.exit(1));

const { state, close: closeStore } = await (await loadStore(config.store)).open(config.storeUrl, 8);
const transport =
  config.notify === "none"
    ? undefined
    : await (
        await loadTransport(config.notify)
      )(config.notifyUrl);
const queuert = await createQueuert({
  stateAdapter: state,
  notifyAdapter: transport?.notify,
  jobTypeDefinitions: defineUnionJobTypes<{
    beat: { input: { startedAt: number }; output: null };
    first: { input: { startedAt: number }; output: DefineContinuationOutput<"last"> };
    last: { input: null; output: null };
  }>(),
  log: ({ level, message, error }) => {
    if (level === "error") process.stderr.write(`${name}: ${message} ${String(error)}\n`);
  },
});

/** A clock that all processes share. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6;

let counts = { started: 0, completed: 0, latencies: [] as number[] };
const began = (startedAt: number): void => void counts.latencies.push(now() - startedAt);
const completed = (): void => void counts.completed++;

const measure = (): Measured => {
  const { started, completed: done, latencies } = counts;
  counts = { started: 0, completed: 0, latencies: [] };
  globalThis.gc?.();
  const { heapUsed: heapBytes, rss: residentBytes } = process.memoryUsage();
  return { said: "measured", started, completed: done, latencies, heapBytes, residentBytes };
};

const work = () =>
  queuert
    .createWorker()
    .implementJobType({
      typeName: "beat",
      process: async ({ job, complete, afterCommit }) => {
        if (job.attempt === 1) began(job.input.startedAt);
        // Some fail once.
        if (job.attempt === 1 && Math.floor(job.input.startedAt) % 50 === 0) {
          throw new Error("fails on purpose");
        }
        afterCommit(completed);
        return complete(null);
      },
    })
    .implementJobType({
      typeName: "first",
      process: async ({ job, complete }) => {
        began(job.input.startedAt);
        return complete.continueWith({ typeName: "last", input: null });
      },
    })
    .implementJobType({
      typeName: "last",
      process: async ({ complete, afterCommit }) => {
        afterCommit(completed);
        return complete(null);
      },
    })
    .start({
      ...{ workerId: name, concurrency: 10, pollIntervalMs: 500 },
      retention: { completedForMs: retentionMs, intervalMs: 5_000 },
    });

const starting = { isWanted: role === "starter" };

/** Catches up after a delay, so that the rate is kept. */
const startSteadily = async (): Promise<void> => {
  const random = createRandom(1);
  const beganAt = now();
  let index = 0;
  while (starting.isWanted) {
    const due = Math.floor(((now() - beganAt) / 1_000) * perSecond);
    for (; index < due && starting.isWanted; index++) {
      const typeName = random.chance(0.2) ? "first" : "beat";
      const input = { startedAt: now() };
      await queuert.startJobSequence({ autocommit: true, typeName, input });
      counts.started++;
    }
    await sleep(20);
  }
};

const worker = role === "worker" ? await work() : null;
const started = startSteadily();

const close = async (): Promise<void> => {
  await worker?.stop();
  await queuert.close();
  await transport?.notify.close();
  await transport?.close();
  await closeStore();
  report({ said: "closed" });
  process.disconnect();
};

const obey = async ({ do: what }: SoakOrder): Promise<void> => {
  if (what === "measure") return report(measure());
  if (what === "close") return close();
  starting.isWanted = false;
  await started;
  report({ said: "stopped" });
};
process.on("message", (order) => void obey(order as SoakOrder));
report({ said: "ready" });
