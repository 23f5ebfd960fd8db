// Every error that users can catch: a stable `code`, the ids as fields, and a message with the remedy.
// No error carries a payload, an output or a connection string.
import { QueuertError } from "./queuert-error.ts";
import type { JobAbortReason } from "./model/abort-reason.ts";

/** A job or a sequence is not, or no longer, in the store. */
export class JobNotFoundError extends QueuertError {
  readonly code = "QUEUERT_JOB_NOT_FOUND" as const;
  readonly jobId: string;

  constructor(jobId: string, options?: ErrorOptions) {
    super(`Job ${jobId} does not exist: it was deleted, or never committed.`, options);
    this.jobId = jobId;
  }
}

/** The lease of the job expired, and another attempt has acquired the job since. */
export class JobTakenByAnotherWorkerError extends QueuertError {
  readonly code = "QUEUERT_JOB_TAKEN_BY_ANOTHER_WORKER" as const;
  readonly jobId: string;
  readonly leaseVersion: number;

  constructor(jobId: string, leaseVersion: number, options?: ErrorOptions) {
    super(
      `Job ${jobId} was acquired again after lease ${leaseVersion} expired. ` +
        "Nothing of this attempt is stored; give the job type a longer `leaseConfig.leaseMs` if this repeats.",
      options,
    );
    this.jobId = jobId;
    this.leaseVersion = leaseVersion;
  }
}

/** The job has been completed or has failed already, by another attempt or without a worker. */
export class JobAlreadyCompletedError extends QueuertError {
  readonly code = "QUEUERT_JOB_ALREADY_COMPLETED" as const;
  readonly jobId: string;

  /** The sequence that a call named; undefined if the call named the job. */
  readonly sequenceId: string | undefined;

  constructor(jobId: string, options?: ErrorOptions & { readonly sequenceId?: string }) {
    super(
      options?.sequenceId === undefined
        ? `Job ${jobId} is finished already; its stored outcome stands.`
        : `Sequence ${options.sequenceId} has ended already, with job ${jobId}; its stored outcome stands. ` +
            "A second delivery of the same webhook is a usual reason: read the outcome with `getJobSequence`.",
      options,
    );
    this.jobId = jobId;
    this.sequenceId = options?.sequenceId;
  }
}

/** The awaited sequence has failed. The message has the first line of the last error. */
export class JobSequenceFailedError extends QueuertError {
  readonly code = "QUEUERT_JOB_SEQUENCE_FAILED" as const;
  readonly sequenceId: string;
  readonly jobId: string;
  readonly lastAttemptError: string;

  constructor(sequenceId: string, jobId: string, lastAttemptError: string, options?: ErrorOptions) {
    super(
      `Sequence ${sequenceId} failed at job ${jobId}: ${firstLineOf(lastAttemptError)}. ` +
        "After you have removed the cause, call `retryFailedJobs` with the id of the job.",
      options,
    );
    this.sequenceId = sequenceId;
    this.jobId = jobId;
    this.lastAttemptError = lastAttemptError;
  }
}

/** The awaited sequence was cancelled. */
export class JobSequenceCancelledError extends QueuertError {
  readonly code = "QUEUERT_JOB_SEQUENCE_CANCELLED" as const;
  readonly sequenceId: string;
  /** The job that was the current one of the sequence. */
  readonly jobId: string;
  /** As given to `cancelJobSequences`; null if none was given. */
  readonly cancelReason: string | null;

  constructor(
    sequenceId: string,
    jobId: string,
    cancelReason: string | null,
    options?: ErrorOptions,
  ) {
    const reason = cancelReason === null ? "" : `: ${cancelReason}`;
    super(
      `Sequence ${sequenceId} was cancelled at job ${jobId}${reason}. ` +
        "It never completes; start another sequence if the work is still wanted.",
      options,
    );
    this.sequenceId = sequenceId;
    this.jobId = jobId;
    this.cancelReason = cancelReason;
  }
}

/** The sequence had not ended when the time was up; it goes on all the same. */
export class WaitForJobSequenceCompletionTimeoutError extends QueuertError {
  readonly code = "QUEUERT_WAIT_TIMEOUT" as const;
  readonly sequenceId: string;
  readonly timeoutMs: number;

  constructor(sequenceId: string, timeoutMs: number, options?: ErrorOptions) {
    super(
      `Sequence ${sequenceId} did not end within ${timeoutMs} ms. It goes on; wait again, or longer.`,
      options,
    );
    this.sequenceId = sequenceId;
    this.timeoutMs = timeoutMs;
  }
}

/** The call needs an open transaction, and its context has none. */
export class StateNotInTransactionError extends QueuertError {
  readonly code = "QUEUERT_NOT_IN_TRANSACTION" as const;
  readonly operation: string;

  constructor(operation: string, alternative?: string, options?: ErrorOptions) {
    super(
      `${operation} needs the context of an open transaction: spread the context that ` +
        "`queuert.transaction(async (context) => …)` or your own transaction gives" +
        (alternative === undefined ? "." : `, or give ${alternative}.`),
      options,
    );
    this.operation = operation;
  }
}

/** The callback of the transaction has ended, and the transaction is about to: nothing more can be written in it. */
export class TransactionEndingError extends QueuertError {
  readonly code = "QUEUERT_TRANSACTION_ENDING" as const;
  readonly operation: string;

  constructor(operation: string, options?: ErrorOptions) {
    super(
      `${operation} was called when the callback of its transaction had already returned or thrown. ` +
        "Await every call that is made in a transaction before its callback ends.",
      options,
    );
    this.operation = operation;
  }
}

/**
 * Thrown by a process function: its own sequence is cancelled, with its tree. Jobs that wait for the
 * sequence fail, or are cancelled too with `dependants: "cancel"`.
 */
export class JobCancelledError extends QueuertError {
  readonly code = "QUEUERT_JOB_CANCELLED" as const;
  readonly dependants: "fail" | "cancel";

  /** `reason` is stored with the job. */
  constructor(
    reason?: string,
    { dependants = "fail", ...options }: ErrorOptions & { dependants?: "fail" | "cancel" } = {},
  ) {
    super(reason ?? "", options);
    this.dependants = dependants;
  }
}

/** Thrown by a process function: the job fails now, even if attempts are left. */
export class UnrecoverableJobError extends QueuertError {
  readonly code = "QUEUERT_UNRECOVERABLE_JOB" as const;
}

/** The attempt took longer than the job type's `timeoutMs`. */
export class JobTimeoutError extends QueuertError {
  readonly code = "QUEUERT_JOB_TIMEOUT" as const;
  readonly jobId: string;
  readonly timeoutMs: number;

  constructor(jobId: string, timeoutMs: number, options?: ErrorOptions) {
    super(`Job ${jobId} ran longer than its timeout of ${timeoutMs} ms.`, options);
    this.jobId = jobId;
    this.timeoutMs = timeoutMs;
  }
}

/** Thrown by `throwIfAborted`: the signal of the process function was aborted. */
export class JobAbortedError extends QueuertError {
  readonly code = "QUEUERT_JOB_ABORTED" as const;
  readonly reason: JobAbortReason;

  constructor(reason: JobAbortReason, options?: ErrorOptions) {
    super(`The attempt was aborted: ${abortReasons[reason]}.`, options);
    this.reason = reason;
  }
}

const abortReasons: Readonly<Record<JobAbortReason, string>> = {
  taken_by_another_worker: "its lease expired, and another worker acquired the job",
  error: "its lease could not be renewed",
  not_found: "the job was deleted",
  already_completed: "the job was completed elsewhere",
  cancelled: "the job was cancelled",
  lease_expired: "its lease expired, and it stands under a limit",
  timeout: "it ran longer than the `timeoutMs` of its job type",
  shutdown: "the worker is stopping",
};

/** The worker was stopped and the attempt did not end within `shutdownTimeoutMs`. */
export class WorkerShutdownError extends QueuertError {
  readonly code = "QUEUERT_WORKER_SHUTDOWN" as const;
  readonly workerId: string;

  constructor(workerId: string, options?: ErrorOptions) {
    super(`Worker ${workerId} was stopped before the attempt had ended.`, options);
    this.workerId = workerId;
  }
}

/** `prepare`, `complete` or `continueWith` used in a way that has no meaning. */
export class ProcessMisuseError extends QueuertError {
  readonly code = "QUEUERT_PROCESS_MISUSE" as const;
}

/** A stored payload is not JSON, or the codec cannot read it: other code than this client's has written it. */
export class BrokenPayloadError extends QueuertError {
  readonly code = "QUEUERT_BROKEN_PAYLOAD" as const;
  readonly jobId: string;

  constructor(jobId: string, options?: ErrorOptions) {
    super(
      `The stored payload of job ${jobId} is not JSON, or the codec in \`payloads\` cannot read it. ` +
        "Mend the record, give the codec that it was written with, or delete the job.",
      options,
    );
    this.jobId = jobId;
  }
}

/** Sequences cannot be deleted or cancelled: jobs outside the set wait for sequences in it. */
export class JobSequencesStillBlockingError extends QueuertError {
  readonly code = "QUEUERT_SEQUENCES_STILL_BLOCKING" as const;
  /** The sequences outside the set that wait. */
  readonly dependantSequenceIds: readonly string[];

  constructor(
    dependantSequenceIds: readonly string[],
    { operation = "delete", ...options }: ErrorOptions & { operation?: "delete" | "cancel" } = {},
  ) {
    const waiting = `sequences outside the set wait for some in it (${dependantSequenceIds.join(", ")})`;
    super(
      operation === "delete"
        ? `Nothing was deleted: ${waiting}. Add their roots to \`rootSequenceIds\`, give ` +
            '`dependants: "delete"`, or complete them first.'
        : `Nothing was cancelled: ${waiting}. Give \`dependants: "cancel"\` to cancel them too, ` +
            'or `"fail"` to fail the jobs that wait.',
      options,
    );
    this.dependantSequenceIds = dependantSequenceIds;
  }
}

/** Only whole trees are deleted, named by their root. */
export class NotARootSequenceError extends QueuertError {
  readonly code = "QUEUERT_NOT_A_ROOT_SEQUENCE" as const;
  readonly sequenceIds: readonly string[];

  constructor(sequenceIds: readonly string[], options?: ErrorOptions) {
    super(
      `Nothing was deleted: not root sequences: ${sequenceIds.join(", ")}. Give their \`rootSequenceId\`.`,
      options,
    );
    this.sequenceIds = sequenceIds;
  }
}

/** A stored error ends with a stack: its first line says the reason. */
const firstLineOf = (error: string): string => {
  const line = (error.split("\n", 1)[0] ?? "").trim().replace(/[.:]$/, "");
  if (line === "") return "no error is stored";
  return line.length > lineLengthMax ? `${line.slice(0, lineLengthMax)}…` : line;
};

const lineLengthMax = 300;

export { QueuertError } from "./queuert-error.ts";
export * from "./input-errors.ts";
export * from "./payload-errors.ts";
export * from "./limit-errors.ts";
export * from "./reschedule-error.ts";
export * from "./schedule-errors.ts";
export * from "./signal-errors.ts";
