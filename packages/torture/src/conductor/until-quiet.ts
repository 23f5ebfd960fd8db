import { setTimeout as sleep } from "node:timers/promises";
import { createQueuert } from "queuert";
import type { History, HistoryEntry } from "../checker/history.ts";
import { pathOf } from "../checker/stored-plan.ts";
import { controlTypeNames, treeTypeNames } from "../load/control-types.ts";
import { errandLimits } from "../load/errand-types.ts";
import { jobTypes } from "../load/job-types.ts";
import { listAllJobs } from "../load/list-all-jobs.ts";
import { repair } from "../load/repair.ts";
import type { OpenStore } from "../stores/store.ts";

/** The drain is over when no job has ended for so long. A busy machine is slow, and a backlog may be long. */
const stillMs = 60_000;
const longestMs = 600_000;

/** Answers how long it took until everything had ended; infinite if nothing ends any more. `patience`: as for the processes. */
export const untilQuiet = async (
  store: OpenStore,
  note: (entry: HistoryEntry) => void,
  now: () => number,
  patience: number,
): Promise<number> => {
  const queuert = await createQueuert({
    stateAdapter: store.state,
    jobTypeDefinitions: jobTypes,
    limits: errandLimits,
    log: () => undefined,
  });
  const beganAt = now();
  let [endedCount, progressedAt] = [-1, beganAt];
  try {
    while (now() - progressedAt < stillMs * patience && now() - beganAt < longestMs * patience) {
      const [jobs, control] = [
        await listAllJobs(store.state, treeTypeNames),
        await listAllJobs(store.state, controlTypeNames),
      ];
      if (await repair({ queuert, note, now }, jobs, control)) return now() - beganAt;
      // Retention deletes meanwhile, which is progress too.
      const count = [...jobs, ...control].filter(({ finishedAt }) => finishedAt !== null).length;
      if (count !== endedCount) [endedCount, progressedAt] = [count, now()];
      await sleep(200);
    }
    return Number.POSITIVE_INFINITY;
  } finally {
    await queuert.close();
  }
};

/** The jobs that had not ended. */
export const describeUnfinished = ({ jobs }: History): string => {
  const open = jobs.filter(({ status }) => status !== "completed" && status !== "cancelled");
  const some = open
    .slice(0, 5)
    .map((job) => `${pathOf(job)} ${job.status} attempt ${job.attempt} ${job.lastAttemptError}`);
  return `${open.length} of ${jobs.length}: ${some.join("; ")}`;
};
