// The fence: whether a job is still running under the lease that a caller names, and why not.
import type { LeaseLostReason } from "../adapters/state-adapter-params.ts";
import { isFinished } from "../model/status.ts";
import type { JobState } from "./job-cell.ts";

export const isHeld = (state: JobState | undefined, leaseVersion: number): state is JobState =>
  state?.status === "running" && state.leaseVersion === leaseVersion;

/** Why a lease that is not held is lost. A job that waits again counts as taken: somebody took it from the holder. */
export const whyLost = (state: JobState | undefined): LeaseLostReason => {
  if (state === undefined) return "not_found";
  return isFinished(state.status) ? "already_completed" : "taken_by_another_worker";
};
