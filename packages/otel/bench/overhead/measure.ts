// One measuring process: it receives the rounds to run, and returns the cost of a job.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createPgStateAdapter } from "@queuert/postgres";
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import pg from "pg";
import { createInProcessStateAdapter, createQueuert, defineUnionJobTypes } from "queuert";
import type { Cost, Mode, Round } from "./modes.ts";
import { observe } from "./observe.ts";

const [mode = "no adapter", url = ""] = process.argv.slice(2);
setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;
const { adapter: observabilityAdapter, byHand, flush } = observe(mode as Mode);

const jobTypes = defineUnionJobTypes<{ noop: { input: { text: string }; output: { ok: true } } }>();
const input = { text: "x".repeat(88) };

type Store = Parameters<typeof createQueuert>[0]["stateAdapter"];

const createStore = async (): Promise<() => Promise<Store>> => {
  if (url === "") return async () => createInProcessStateAdapter();
  const pool = new pg.Pool({ connectionString: url, max: 25 });
  const stateProvider = createPgPoolStateProvider(pool, { preparedStatements: true });
  const stateAdapter = await createPgStateAdapter({ stateProvider });
  await stateAdapter.migrateToLatest();
  return async () => {
    await pool.query("TRUNCATE queuert.job CASCADE");
    await pool.query("VACUUM");
    return stateAdapter;
  };
};

const drain = async (stateAdapter: Store, { settlement, jobCount }: Round): Promise<Cost> => {
  const options = { stateAdapter, jobTypeDefinitions: jobTypes, observabilityAdapter };
  const queuert = await createQueuert(options);
  const sequences = Array.from({ length: 10 }, () => ({ typeName: "noop" as const, input }));
  const starters = Array.from({ length: 10 }, async () => {
    for (let done = 0; done < jobCount / 10; done += sequences.length) {
      await queuert.transaction((tx) => queuert.startJobSequences({ ...tx, sequences }));
    }
  });
  await Promise.all(starters);
  await flush();
  collectGarbage();

  let processed = 0;
  let allProcessed = (): void => undefined;
  const drained = new Promise<void>((resolve) => (allProcessed = resolve));
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const worker = await queuert
    .createWorker()
    .implementJobType({
      typeName: "noop",
      process: async ({ job, complete }) => {
        if (++processed === jobCount) allProcessed();
        const output = { ok: true } as const;
        const settle = (): ReturnType<typeof complete> =>
          settlement === "value" ? complete(output) : complete(async () => output);
        return byHand === undefined ? settle() : byHand(job, settlement, settle);
      },
    })
    .start({ concurrency: 20 });
  await drained;
  await worker.stop();
  // Exporting is a part of the price.
  await flush();
  const wallMicroseconds = ((performance.now() - startedAt) * 1_000) / jobCount;
  const cpu = process.cpuUsage(cpuBefore);
  await queuert.close();
  return { wallMicroseconds, cpuMicroseconds: (cpu.user + cpu.system) / jobCount };
};

const openStore = await createStore();
process.on("message", (round: Round | null) => {
  if (round === null) process.exit(0);
  void openStore()
    .then((stateAdapter) => drain(stateAdapter, round))
    .then((cost) => process.send?.(cost));
});
process.send?.("ready");
