// After the store's clock was ahead: jobs that received a due time of that clock would wait until then. An operator triggers them.
import type { HistoryEntry } from "../checker/history.ts";
import { controlTypeNames, treeTypeNames } from "../load/control-types.ts";
import { listAllJobs } from "../load/list-all-jobs.ts";
import type { OpenStore } from "../stores/store.ts";

/** Longer than the load schedules anything ahead, but for jobs that are triggered anyway. */
const aheadMs = 60_000;

export const triggerStranded = async (
  { state }: OpenStore,
  note: (entry: HistoryEntry) => void,
  now: () => number,
): Promise<void> => {
  const jobs = await listAllJobs(state, [...treeTypeNames, ...controlTypeNames]);
  const ids = jobs
    .filter(
      ({ status, scheduledAt }) => status === "pending" && scheduledAt.getTime() > now() + aheadMs,
    )
    .map(({ id }) => id);
  for (const jobId of ids) note({ kind: "triggering", at: now(), jobId });
  if (ids.length > 0) await state.triggerJobs({ ids });
};
