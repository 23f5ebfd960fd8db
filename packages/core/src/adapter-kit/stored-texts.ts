// The errors that stores write by themselves, for attempts and jobs in which no handler has thrown. A store that composes
// them in its own language repeats these words: the suites compare them.

/** The error of an attempt whose lease expired before the job was settled. */
export const leaseExpiredError = (leasedBy: string): string =>
  `The lease of worker ${leasedBy} expired`;

/** The error of an attempt that was running when its sequence was cancelled. */
export const cancelledAttemptError = "The sequence was cancelled";

/** The error of a job that waited for a sequence that was cancelled. */
export const blockerCancelledError = (blockerSequenceId: string): string =>
  `Blocker sequence ${blockerSequenceId} was cancelled`;

/** The error of a job with `onBlockerFailure: "fail"`, one of whose blockers failed. */
export const blockerFailedError = (blockerSequenceId: string): string =>
  `Blocker sequence ${blockerSequenceId} failed`;
