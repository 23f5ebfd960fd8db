import { createQueuert, defineUnionJobTypes } from "queuert";
import { createSqliteStateAdapter } from "@queuert/sqlite";
import { createBetterSqlite3Provider } from "@queuert/sqlite/better-sqlite3";
import { BetterSqlite3Database } from "../test/better-sqlite3.ts";
import { payload, rateAsync } from "./measure.ts";

const jobTypeDefinitions = defineUnionJobTypes<{
  noop: { input: { text: string }; output: { ok: true } };
}>();

/** Opens a file with everything that a user would have. */
export const openClient = async (filename: string) => {
  const stateProvider = await createBetterSqlite3Provider({
    filename,
    synchronous: "NORMAL",
    driver: BetterSqlite3Database,
  });
  const stateAdapter = await createSqliteStateAdapter({ stateProvider });
  const queuert = await createQueuert({ stateAdapter, jobTypeDefinitions });
  await stateProvider.runInTransaction(async ({ client }) => {
    client.exec("CREATE TABLE IF NOT EXISTS user_row (id INTEGER PRIMARY KEY, text TEXT NOT NULL)");
  });
  return { queuert, stateProvider, stateAdapter };
};

export type BenchClient = Awaited<ReturnType<typeof openClient>>;

export const start = ({ queuert }: BenchClient, count: number, atOnce: number): Promise<number> =>
  rateAsync(count, async () => {
    for (let done = 0; done < count; done += atOnce) {
      await queuert.transaction((context) =>
        queuert.startJobSequences({
          ...context,
          sequences: Array.from({ length: atOnce }, () => ({
            typeName: "noop" as const,
            input: payload,
          })),
        }),
      );
    }
  });

/** From the worker's start until the last completion is stored. */
export const drain = (
  { queuert }: BenchClient,
  count: number,
  settle: "value" | "callback",
): Promise<number> =>
  rateAsync(count, async () => {
    let left = count;
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const worker = await queuert
      .createWorker()
      .implementJobType({
        typeName: "noop",
        process: async ({ complete }) => {
          if (--left === 0) finish();
          if (settle === "value") return complete({ ok: true });
          return complete(async ({ client }) => {
            client.prepare("INSERT INTO user_row (text) VALUES (?)").run("done");
            return { ok: true };
          });
        },
      })
      .start({ concurrency: 100 });
    await finished;
    await worker.stop();
  });
