// The actions that help, by the reason that decides.
import type { StateJob } from "../../model/state-job.ts";
import type { Reason, Remedy, RootCause } from "../../public-types/explanation.ts";
import { nameOf, shellWord, toRef } from "./words.ts";

/** A job that is due for longer than any poll interval should have been acquired. */
export const overdueMs = 60_000;

/** The remedies of a job, the best one first. */
export const remediesOf = (
  job: StateJob,
  reasons: readonly Reason[],
  rootCause: RootCause | null,
): readonly Remedy[] => {
  const [deciding] = reasons;
  const cause = rootCause?.path.at(-1);
  if (deciding === undefined) return [];
  const own = ofReason(job, deciding);
  if (rootCause === null || cause === undefined) return own;
  if (rootCause.reason.kind === "failed") {
    return [retry(cause.jobId, `Runs ${nameOf(cause)} again, and then this job.`), remove(job)];
  }
  if (rootCause.reason.kind === "no_worker") return [startWorker(cause.typeName)];
  return own;
};

const ofReason = (job: StateJob, reason: Reason): readonly Remedy[] => {
  switch (reason.kind) {
    case "failed":
      return [retry(job.id, `Runs ${nameOf(toRef(job))} again, with its attempts counted from 0.`)];
    case "scheduled":
      return [trigger(job)];
    case "paused":
      return [resume(reason.jobType)];
    case "no_worker":
      return [startWorker(job.typeName)];
    case "lease_expired":
      return reason.liveWorkers === 0 ? [startWorker(job.typeName)] : [];
    case "blocked_in_a_circle":
      return [remove(job)];
    case "due_and_free":
      return reason.dueForMs > overdueMs ? [checkHealth] : [];
    default:
      return [];
  }
};

const retry = (id: string, effect: string): Remedy => ({
  action: "retry",
  ids: [id],
  command: `queuert retry ${shellWord(id)}`,
  effect,
});

const trigger = ({ id }: StateJob): Remedy => ({
  action: "trigger",
  ids: [id],
  command: `queuert trigger ${shellWord(id)}`,
  effect: "Makes the job due now.",
});

const remove = ({ rootSequenceId }: StateJob): Remedy => ({
  action: "delete",
  ids: [rootSequenceId],
  command: `queuert delete ${shellWord(rootSequenceId)}`,
  effect: "Deletes the whole tree of the job.",
});

const startWorker = (typeName: string): Remedy => ({
  action: "start_worker",
  ids: [],
  command: null,
  effect: `Deploy a worker that implements "${typeName}", or mend the name.`,
});

const resume = (jobType: string | null): Remedy => ({
  action: "resume",
  ids: [],
  command: null,
  effect: jobType === null ? "Ends the pause of every type." : `Ends the pause of "${jobType}".`,
});

const checkHealth: Remedy = {
  action: "check_health",
  ids: [],
  command: "queuert doctor",
  effect: "Checks notifications, polling and clocks.",
};
