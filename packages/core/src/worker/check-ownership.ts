import type { Engine } from "../engine.ts";
import { reportLost } from "../lifecycle/attempt-events.ts";
import type { Attempt } from "../lifecycle/process-job/attempt.ts";

/** Somebody says that a job has changed hands. A hint only: the store says whether it is still this attempt's. */
export const checkOwnership = async (
  engine: Engine,
  attempts: ReadonlySet<Attempt>,
  jobId: string,
): Promise<void> => {
  const held = [...attempts].filter(({ job, isOver }) => job.id === jobId && !isOver);
  if (held.length === 0) return;
  // No error surfaces: the next renewal will tell.
  const [stored] = await engine.state.getJobs({ ids: [jobId] }).catch(() => [null]);
  if (stored === null) return;
  for (const attempt of held) {
    if (attempt.isOver) continue;
    if (stored === undefined) reportLost(engine, attempt, "not_found");
    else if (stored.leaseVersion !== attempt.job.leaseVersion || stored.status === "pending") {
      reportLost(engine, attempt, "taken_by_another_worker");
    } else if (stored.status !== "running") reportLost(engine, attempt, "already_completed");
  }
};
