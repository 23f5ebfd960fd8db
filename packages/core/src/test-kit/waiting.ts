// The unfinished jobs of a test, and the reason why each waits.
import type { Engine } from "../engine.ts";
import type { StateJob, StateSequence } from "../model/state-job.ts";
import { describeMs } from "./duration.ts";

/** An unfinished job, and why it did not run. */
export interface WaitingJob {
  readonly id: string;
  readonly typeName: string;
  readonly why: string;
}

const shownMax = 100;

/** The first hundred, by creation. */
export const listWaiting = async (
  { state }: Engine,
  since: number | null,
  now: Date,
): Promise<readonly WaitingJob[]> => {
  const jobs = await state.listJobs({
    typeNames: null,
    statuses: ["blocked", "pending", "running"],
    sequenceId: null,
    rootSequenceId: null,
    createdFrom: null,
    createdTo: null,
    order: "asc",
    limit: shownMax,
    afterOrdinal: since,
  });
  const blockers = await state.getBlockers({ ids: jobs.map(({ id }) => id) });
  return jobs.map((job, index) => ({
    id: job.id,
    typeName: job.typeName,
    why: describeWait(job, blockers[index] ?? [], now),
  }));
};

const describeWait = (job: StateJob, blockers: readonly StateSequence[], now: Date): string => {
  if (job.status === "running") return `running on worker "${job.leasedBy ?? "?"}"`;
  if (job.status === "blocked") {
    const open = blockers.filter(({ current }) => current.status !== "completed");
    return `blocked by ${open.map(describeBlocker).join(", ")}`;
  }
  const dueInMs = job.scheduledAt.getTime() - now.getTime();
  if (dueInMs > 0) return `due in ${describeMs(dueInMs)}`;
  return "due, and no worker of the test runs it: its type is not implemented, or paused";
};

const describeBlocker = ({ first, current }: StateSequence): string => {
  const error = current.status === "failed" ? `: ${current.lastAttemptError?.split("\n")[0]}` : "";
  return `${first.typeName} ${first.id} (${current.status}${error})`;
};
