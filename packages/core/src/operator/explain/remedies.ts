// The actions that help, by the reason that decides.
import type { StateJob } from "../../model/state-job.ts";
import type { JobRef, Reason, Remedy, RootCause } from "../../public-types/explanation.ts";
import type { RetryPath } from "./retry-path.ts";
import { countOf, nameOf, shellWord, toRef } from "./words.ts";

/** A job that is due for longer than any poll interval should have been acquired. */
export const overdueMs = 60_000;

/** The remedies of a job, the best one first. */
export const remediesOf = (
  job: StateJob,
  reasons: readonly Reason[],
  rootCause: RootCause | null,
  path: RetryPath | null,
): readonly Remedy[] => {
  const [deciding] = reasons;
  const cause = rootCause?.path.at(-1);
  if (deciding === undefined) return [];
  if (deciding.kind === "failed") return [retryOrCancel(job, toRef(job), path)];
  const own = ofReason(job, deciding);
  if (rootCause === null || cause === undefined) return own;
  if (rootCause.reason.kind === "failed") return [retryOrCancel(job, cause, path), remove(job)];
  if (rootCause.reason.kind === "no_worker") return [startWorker(cause.typeName)];
  return own;
};

const ofReason = (job: StateJob, reason: Reason): readonly Remedy[] => {
  switch (reason.kind) {
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

/** A retry that the store refuses is no remedy. `failed`: the job itself, or its root cause. */
const retryOrCancel = (job: StateJob, failed: JobRef, path: RetryPath | null): Remedy => {
  if (path !== null && path.cancelled !== null) return cancel(job, path.cancelled);
  const before = path?.failed ?? [];
  const ids = [...before.map(({ jobId }) => jobId), failed.jobId];
  const first = before.length === 0 ? "" : ` after ${countOf(before.length, "failed blocker")}`;
  const then =
    failed.jobId === job.id ? ", with its attempts counted from 0." : ", and then this job.";
  return {
    action: "retry",
    ids,
    command: commandOf("retry", ids),
    effect: `Runs ${nameOf(failed)} again${first}${then}`,
  };
};

const cancel = ({ id }: StateJob, cancelled: JobRef): Remedy => ({
  action: "cancel",
  ids: [id],
  command: commandOf("cancel", [id]),
  effect: `${nameOf(cancelled)} was cancelled, so this job never runs. Cancels its sequence, too.`,
});

const trigger = ({ id }: StateJob): Remedy => ({
  action: "trigger",
  ids: [id],
  command: commandOf("trigger", [id]),
  effect: "Makes the job due now.",
});

const remove = ({ rootSequenceId }: StateJob): Remedy => ({
  action: "delete",
  ids: [rootSequenceId],
  command: commandOf("delete", [rootSequenceId]),
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
  command: jobType === null ? "queuert resume --all" : commandOf("resume", [jobType]),
  effect: jobType === null ? "Ends the pause of every type." : `Ends the pause of "${jobType}".`,
});

/** Behind `--`, a name that begins with a hyphen is no option. */
const commandOf = (name: string, names: readonly string[]): string => {
  const end = names.some((each) => each.startsWith("-")) ? ["--"] : [];
  return ["queuert", name, ...end, ...names.map(shellWord)].join(" ");
};

const checkHealth: Remedy = {
  action: "check_health",
  ids: [],
  command: "queuert doctor",
  effect: "Checks notifications, polling and clocks.",
};
