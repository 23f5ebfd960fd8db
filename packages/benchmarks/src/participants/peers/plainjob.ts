import { better, defineQueue, defineWorker } from "plainjob";
import { createUserRows, inspectSqlite, openFile } from "../sqlite-file.ts";
import {
  type Opened,
  type Participant,
  type Payload,
  payloadOf,
  type Target,
} from "../participant.ts";

const silent = { error: () => {}, warn: () => {}, info: () => {}, debug: () => {} };
const steps = ["step-1", "step-2", "step-3", "step-4", "step-5"];
const types = `type IN ('single', ${steps.map((step) => `'${step}'`).join(", ")})`;
const pollIntervall = 100;

const open = async ({ url }: Target): Promise<Opened> => {
  const db = openFile(url);
  const queue = defineQueue({ connection: better(db), logger: silent });
  return {
    startOne: async (payload) => queue.add("single", payload),
    startMany: async (workload, unitCount) =>
      queue.addMany(
        workload === "chain" ? "step-1" : "single",
        Array.from({ length: unitCount }, () => payloadOf(0)),
      ),
    work: async ({ workload, onRun }) => {
      const write = db.prepare("INSERT INTO user_row (text) VALUES (?)");
      const workers = (workload === "chain" ? steps : ["single"]).map((name, index) =>
        defineWorker(
          name,
          ({ data }) => {
            const payload = JSON.parse(data) as Payload; // The jobs that were added above.
            onRun(payload.at);
            if (workload === "callback") write.run("done");
            const next = workload === "chain" ? steps[index + 1] : undefined;
            if (next !== undefined) queue.add(next, payload);
          },
          { queue, logger: silent, pollIntervall },
        ),
      );
      const running = workers.map((worker) => worker.start());
      return async () => {
        await Promise.all(workers.map((worker) => worker.stop()));
        await Promise.all(running);
      };
    },
    close: async () => queue.close(),
  };
};

export const participant: Participant = {
  store: "sqlite",
  settings: `better-sqlite3, WAL, synchronous=NORMAL; its workers run one job at a time, one per job type; polling every ${pollIntervall} ms (1 s by default). A callback's row is written outside the completion`,
  workloads: ["value", "callback", "chain"],
  sameProcessOnly: true,
  prepare: async (target) => {
    createUserRows(target);
    defineQueue({ connection: better(openFile(target.url)), logger: silent }).close();
  },
  open,
  inspect: async (target) =>
    inspectSqlite(target, [
      `plainjob_jobs WHERE status = 0 AND ${types} AND next_run_at <= unixepoch('subsec') * 1000`,
      `plainjob_jobs WHERE status = 1`,
    ]),
  fill: async ({ url }, { finished, scheduled, otherType }) => {
    const db = openFile(url);
    const now = Date.now();
    const known = finished + scheduled;
    db.exec(`
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${known + otherType})
      INSERT INTO plainjob_jobs (type, data, status, created_at, next_run_at)
      SELECT iif(n <= ${known}, 'single', 'other'), '{"at":0,"text":"${"x".repeat(70)}"}', iif(n <= ${finished}, 2, 0), ${now},
        iif(n <= ${finished} OR n > ${known}, ${now}, ${now + 86_400_000}) FROM numbers;
      ANALYZE`);
    db.close();
  },
};
