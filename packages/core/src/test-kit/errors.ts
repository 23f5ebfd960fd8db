// The errors of the kit. `SimulatedCrashError` and `SimulatedFaultError` are thrown on purpose.
import { QueuertError } from "../queuert-error.ts";

/** The store cannot be moved in time, or not now. */
export class TimeTravelError extends QueuertError {
  readonly code = "QUEUERT_TEST_TIME_TRAVEL" as const;

  constructor(reason: string, options?: ErrorOptions) {
    super(`Time cannot be skipped: ${reason}.`, options);
  }
}

/** A job is due, and another transaction keeps it locked. */
export class JobLockedError extends QueuertError {
  readonly code = "QUEUERT_TEST_JOB_LOCKED" as const;

  constructor(options?: ErrorOptions) {
    super(
      "A due job is locked by an open transaction: end the transactions of the test before `drain`.",
      options,
    );
  }
}

/** Ends an attempt as the end of its process would: nothing of it is stored, and its lease expires. */
export class SimulatedCrashError extends QueuertError {
  readonly code = "QUEUERT_TEST_SIMULATED_CRASH" as const;
  readonly jobId: string;

  constructor(jobId: string, options?: ErrorOptions) {
    super(`The attempt of job ${jobId} ends here, as \`crash\` has asked for.`, options);
    this.jobId = jobId;
  }
}

/** The failure of a store's method. */
export class SimulatedFaultError extends QueuertError {
  readonly code = "QUEUERT_TEST_SIMULATED_FAULT" as const;
  readonly method: string;

  constructor(method: string, answerLost: boolean, options?: ErrorOptions) {
    const moment = answerLost ? "after it was stored" : "before it was stored";
    super(`The call of \`${method}\` fails ${moment}, as \`failNext\` has asked for.`, options);
    this.method = method;
  }
}
