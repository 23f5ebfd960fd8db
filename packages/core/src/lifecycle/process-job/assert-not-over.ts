import {
  JobAlreadyCompletedError,
  JobNotFoundError,
  JobTakenByAnotherWorkerError,
  JobTimeoutError,
  ProcessMisuseError,
  WorkerShutdownError,
} from "../../errors.ts";
import type { Attempt } from "./attempt.ts";

/** Refuses to open anything for an attempt whose outcome is decided: its job may be running elsewhere. */
export const assertNotOver = (attempt: Attempt): void => {
  const { job, processor, workerId, abortReason } = attempt;
  if (!attempt.isOver && !attempt.isLost) return;
  switch (abortReason) {
    case "timeout":
      throw new JobTimeoutError(job.id, processor.timeoutMs ?? 0);
    case "shutdown":
      throw new WorkerShutdownError(workerId);
    default:
      throw (
        toLossError(attempt) ??
        new ProcessMisuseError("the attempt has ended; nothing more can be prepared or completed")
      );
  }
};

/** Why the job is no longer this attempt's; undefined when that is not known to be so. */
export const toLossError = ({ job, abortReason }: Attempt): Error | undefined => {
  switch (abortReason) {
    case "taken_by_another_worker":
      return new JobTakenByAnotherWorkerError(job.id, job.leaseVersion);
    case "already_completed":
      return new JobAlreadyCompletedError(job.id);
    case "not_found":
      return new JobNotFoundError(job.id);
    default:
      return undefined;
  }
};
