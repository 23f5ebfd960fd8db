import { setTimeout as sleep } from "node:timers/promises";
import { createQueuert } from "queuert";
import type { History, HistoryEntry } from "../checker/history.ts";
import { pathOf } from "../checker/stored-plan.ts";
import { jobTypes } from "../load/job-types.ts";
import { listAllJobs } from "../load/list-all-jobs.ts";
import { repair } from "../load/repair.ts";
import type { OpenStore } from "../stores/store.ts";

const quietWithinMs = 90_000;

/** Answers how long it took until everything had ended; infinite if it did not. */
export const untilQuiet = async (
  store: OpenStore,
  note: (entry: HistoryEntry) => void,
  now: () => number,
): Promise<number> => {
  const queuert = await createQueuert({
    stateAdapter: store.state,
    jobTypeDefinitions: jobTypes,
    log: () => undefined,
  });
  const beganAt = now();
  try {
    while (now() - beganAt < quietWithinMs) {
      const jobs = await listAllJobs(store.state, ["step", "gather"]);
      if (await repair({ queuert, note, now }, jobs)) return now() - beganAt;
      await sleep(200);
    }
    return Number.POSITIVE_INFINITY;
  } finally {
    await queuert.close();
  }
};

/** The jobs that had not ended. */
export const describeUnfinished = ({ jobs }: History): string => {
  const open = jobs.filter(({ status }) => status !== "completed");
  const some = open
    .slice(0, 5)
    .map((job) => `${pathOf(job)} ${job.status} attempt ${job.attempt} ${job.lastAttemptError}`);
  return `${open.length} of ${jobs.length}: ${some.join("; ")}`;
};
