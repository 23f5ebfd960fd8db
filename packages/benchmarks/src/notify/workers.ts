// Starts worker processes and asks them how it went.
import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Report, WorkerPlan } from "./worker-plan.ts";

export interface Workers {
  /** Since the last time; acquisitions since the beginning. */
  report(): Promise<Report>;
  stop(): Promise<void>;
}

const path = fileURLToPath(new URL("./worker-process.ts", import.meta.url));

const answerOf = async (child: ChildProcess): Promise<Report> => {
  const answered = once(child, "message");
  child.send("report");
  const [report] = await answered;
  // The other end is `worker-process.ts`, which sends nothing else then.
  return report as Report;
};

export const startWorkers = async (processCount: number, plan: WorkerPlan): Promise<Workers> => {
  const children = Array.from({ length: processCount }, () => fork(path, [JSON.stringify(plan)]));
  await Promise.all(children.map((child) => once(child, "message")));
  return {
    report: async () => {
      const reports = await Promise.all(children.map(answerOf));
      return {
        latencies: reports.flatMap(({ latencies }) => latencies),
        acquisitions: reports.reduce((sum, { acquisitions }) => sum + acquisitions, 0),
      };
    },
    stop: async () => {
      const ended = children.map((child) => once(child, "exit"));
      for (const child of children) child.send("stop");
      await Promise.all(ended);
    },
  };
};
