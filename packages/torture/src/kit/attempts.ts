// The attempts that began, as a middleware around every process function sees them.

/** One attempt of a job. */
export interface SeenAttempt {
  readonly jobId: string;
  readonly leaseVersion: number;
  readonly attempt: number;
  readonly worker: string;
}

interface AttemptContext {
  readonly job: { readonly id: string; readonly leaseVersion: number };
  readonly attempt: number;
  readonly workerId: string;
}

type AttemptMiddleware = (
  context: AttemptContext,
  next: () => Promise<unknown>,
) => Promise<unknown>;

export class Attempts {
  readonly seen: SeenAttempt[] = [];

  /** A dead process runs on for a moment in this one. It is not there any more. */
  middleware(isDead: () => boolean): AttemptMiddleware {
    return async ({ job, attempt, workerId }, next) => {
      if (!isDead()) {
        const { id: jobId, leaseVersion } = job;
        this.seen.push({ jobId, leaseVersion, attempt, worker: workerId });
      }
      return next();
    };
  }
}
