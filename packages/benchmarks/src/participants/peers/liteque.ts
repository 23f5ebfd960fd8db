import { buildDBClient, Runner, SqliteQueue } from "liteque";
import { createUserRows, inspectSqlite, openFile } from "../sqlite-file.ts";
import {
  type Opened,
  type Participant,
  type Payload,
  payloadOf,
  type Target,
} from "../participant.ts";

const pollIntervalMs = 100;

const open = async ({ url }: Target): Promise<Opened> => {
  const db = buildDBClient(url, { walEnabled: true });
  const queue = new SqliteQueue<Payload>("single", db, {
    defaultJobArgs: { numRetries: 1 },
    keepFailedJobs: false,
  });
  const rows = openFile(url);
  return {
    startOne: (payload) => queue.enqueue(payload),
    startMany: async (_workload, unitCount) => {
      for (let index = 0; index < unitCount; index += 1) await queue.enqueue(payloadOf(0));
    },
    work: async ({ workload, concurrency, onRun }) => {
      const write = rows.prepare("INSERT INTO user_row (text) VALUES (?)");
      const runner = new Runner<Payload, void>(
        queue,
        {
          run: async ({ data }) => {
            onRun(data.at);
            if (workload === "callback") write.run("done");
          },
        },
        { concurrency, pollIntervalMs, timeoutSecs: 30 },
      );
      const running = runner.run();
      // The waiter for the drain sees that it never comes; `stop` reports the reason.
      running.catch(() => undefined); // The awaiter sees its error.
      return async () => {
        runner.stop();
        await running;
      };
    },
    close: async () => {
      rows.close();
    },
  };
};

export const participant: Participant = {
  store: "sqlite",
  settings: `its own better-sqlite3 client, WAL, synchronous=NORMAL; polling every ${pollIntervalMs} ms; finished jobs are deleted; no bulk start. A callback's row is written outside the completion`,
  workloads: ["value", "callback"],
  sameProcessOnly: true,
  isSlow: true,
  prepare: async (target) => {
    buildDBClient(target.url, { walEnabled: true, runMigrations: true });
    createUserRows(target);
  },
  open,
  inspect: async (target) => inspectSqlite(target, ["tasks WHERE status <> 'failed'"]),
};
