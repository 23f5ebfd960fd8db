// What is stored as the error of attempts that nobody threw an error for.

export const leaseExpiredError = (workerId: string | null): string =>
  `The lease of worker ${workerId ?? "(unknown)"} expired before the attempt had ended.`;

export const blockerFailedError = (sequenceId: string): string =>
  `Sequence ${sequenceId}, for which this job waited, has failed.`;
