// A worker process: file, name and durability are its arguments. It works until it is killed.
import type { SqliteSynchronous } from "../../src/providers/better-sqlite3.ts";
import { openClient } from "./definitions.ts";

const [, , filename = "", worker = "", synchronous = "NORMAL"] = process.argv;
const { queuert } = await openClient(filename, synchronous as SqliteSynchronous);

const leaseConfig = { leaseMs: 400, renewIntervalMs: 100 };
const insertEffect = "INSERT INTO effect (job_id, type_name, worker) VALUES (?, ?, ?)";
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

await queuert
  .createWorker()
  .implementJobType({
    typeName: "order",
    leaseConfig,
    // Staged, with some work between: killed here, the job comes back when its lease has expired.
    process: async ({ job, complete }) => {
      await sleep(Math.random() * 20);
      return complete(async ({ client, continueWith }) => {
        client.prepare(insertEffect).run(job.id, job.typeName, worker);
        // Killed here, the transaction goes with the process.
        await sleep(Math.random() * 3);
        return continueWith({ typeName: "ship", input: { order: job.input.order } });
      });
    },
  })
  .implementJobType({
    typeName: "ship",
    leaseConfig,
    // By value: settled in groups.
    process: async ({ job, complete }) => complete({ shipped: job.input.order }),
  })
  .implementJobType({
    typeName: "report",
    leaseConfig,
    // Atomic: one transaction from the beginning to the end.
    process: async ({ job, prepare, complete }) => {
      await prepare({ mode: "atomic" });
      return complete(async ({ client }) => {
        client.prepare(insertEffect).run(job.id, job.typeName, worker);
        return { orders: job.blockers.length };
      });
    },
  })
  .start({ workerId: worker, concurrency: 8, pollIntervalMs: 50, reapIntervalMs: 100 });

process.stdout.write("ready\n");
