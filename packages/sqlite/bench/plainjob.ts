// The fastest other queue for SQLite that we know of, as its README says to use it.
import { better, defineQueue, defineWorker } from "plainjob";
import { BetterSqlite3Database } from "../test/better-sqlite3.ts";
import { payload, rateAsync } from "./measure.ts";

/** Not a word: by default it writes a line for every job. */
const silent = { error: String, warn: String, info: String, debug: String };

/** Drains so many no-op jobs, with the settings of the other cases. */
export const plainjobDrain = async (filename: string, count: number): Promise<number> => {
  const db = new BetterSqlite3Database(filename);
  db.pragma("journal_mode = WAL");
  db.pragma("synchronous = NORMAL");
  const queue = defineQueue({ connection: better(db), logger: silent });
  queue.addMany(
    "noop",
    Array.from({ length: count }, () => payload),
  );
  const result = await rateAsync(count, async () => {
    let left = count;
    let finish: () => void = () => undefined;
    const finished = new Promise<void>((resolve) => (finish = resolve));
    const worker = defineWorker(
      "noop",
      (job) => {
        JSON.parse(job.data);
        if (--left === 0) finish();
      },
      { queue, logger: silent },
    );
    const running = worker.start();
    await finished;
    await worker.stop();
    await running;
  });
  queue.close();
  return result;
};
