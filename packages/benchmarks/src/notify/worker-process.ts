// A process of workers: executes its argument until it is stopped, and reports its result.
import { workBare } from "./bare.ts";
import { workFloor } from "./floor.ts";
import { openClient, nowMs } from "./client.ts";
import { workBullmq, workRaw } from "./others.ts";
import type { Report, WorkerPlan } from "./worker-plan.ts";

const plan: WorkerPlan = JSON.parse(process.argv[2] ?? "{}");
const latencies: number[] = [];
const note = (at: number): void => void latencies.push(nowMs() - at);

const workQueuert = async (): Promise<{
  acquisitions: () => number;
  stop: () => Promise<void>;
}> => {
  const { transport, addresses, workerCount, concurrency } = plan;
  const client = await openClient(addresses, transport, workerCount + 2);
  const worker = client.queuert.createWorker().implementJobType({
    typeName: "measured",
    process: async ({ job, complete }) => {
      note(job.input.at);
      return complete(null);
    },
  });
  const running = await Promise.all(
    Array.from({ length: workerCount }, () => worker.start({ concurrency })),
  );
  return {
    acquisitions: client.acquisitionCount,
    stop: async () => {
      await Promise.all(running.map((one) => one.stop()));
      await client.close();
    },
  };
};

const work = {
  queuert: workQueuert,
  floor: () => workFloor(plan, note),
  bullmq: () => workBullmq(plan, note),
  raw: () => workRaw(plan, note),
  bare: () => workBare(plan, note),
};
const { acquisitions, stop } = await work[plan.kind]();
const send = (message: Report | "ready"): void => void process.send?.(message);

process.on("message", (message) => {
  if (message === "report") {
    send({ latencies: latencies.splice(0), acquisitions: acquisitions() });
  } else {
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  }
});
send("ready");
