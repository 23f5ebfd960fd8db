// One attempt at one job, from its acquisition to its outcome: shared by the slots, the lease keeper and the process function.
// Below are the errors of an attempt that is over, and the outcome by value with the token that proves it.
import type {
  AcquiredJob,
  CompletionOutcome,
  LeaseLostReason,
} from "../../adapters/state-adapter-params.ts";
import type { JobProcessingData } from "../../adapters/events.ts";
import type { AttemptResult, ObservabilitySpan } from "../../adapters/observability-adapter.ts";
import type { Engine } from "../../engine.ts";
import {
  JobAbortedError,
  JobAlreadyCompletedError,
  JobNotFoundError,
  JobTakenByAnotherWorkerError,
  JobTimeoutError,
  ProcessMisuseError,
  WorkerShutdownError,
} from "../../errors.ts";
import { toPayloadText } from "../../job-types/registry.ts";
import type { JsonText, StateJob } from "../../model/state-job.ts";
import type { JobAbortReason } from "../../public-types/abort.ts";
import { ContinuationToken } from "../continuation.ts";
import type { NewJobOptions } from "../new-job.ts";
import type { AttemptLog } from "./attempt-log.ts";
import type { Batch } from "./batch.ts";
import type { HeldTransaction } from "./complete.ts";
import type { Processor } from "./processor.ts";

export class Attempt {
  readonly job: StateJob;
  readonly acquired: AcquiredJob;
  readonly processor: Processor;
  readonly workerId: string;
  /** By the worker's clock, read before the acquisition was sent: never later than the store's own time. */
  readonly claimedAt: number;
  /** When the lease was last known to be extended. */
  renewedAt: number;
  startedAt = 0;
  /** Its user code has begun: from here on it is never handed back. */
  hasBegun = false;
  /** A slot runs it. */
  isInSlot = false;
  /** Its outcome is decided; user code that goes on regardless may no longer open anything. */
  isOver = false;
  /** `complete` has been called, with success or not. */
  hasCompleted = false;
  isLeaseExpiryReported = false;
  isHoldingReported = false;
  abortReason: JobAbortReason | null = null;
  /** Why the job is no longer this attempt's, once that is known. The signal may have been aborted for another reason. */
  lossReason: LeaseLostReason | null = null;
  transaction: HeldTransaction | null = null;
  /** The batch that it is processed in; null for most attempts. */
  batch: Batch | null = null;
  /** From the beginning of the attempt until its outcome is stored; null without tracing. */
  span: ObservabilitySpan | null = null;
  /** The result, as it is stored. */
  result: AttemptResult | null = null;
  /** The error of its user code, or the error that kept its outcome from being stored. */
  error: unknown;
  /** The first error of user code inside its transaction. That transaction is never committed, caught error or not. */
  broken: { readonly error: unknown } | null = null;
  /** Run once its completion or continuation is stored. Null: none, as for most attempts. */
  afterCommit: (() => unknown)[] | null = null;
  /** Its lines and its progress. Null: it has logged nothing, as most attempts. */
  log: AttemptLog | null = null;
  /** The gauges count it as running. */
  isCounted = false;
  /** Its index among the attempts that its worker holds, or -1: the worker does not hold it. */
  heldAt = -1;
  #data: JobProcessingData | null = null;
  #controller: AbortController | null = null;
  #opening: Promise<HeldTransaction> | null = null;
  /** User code inside the transaction, or its opening: the transaction ends after they have. */
  #insideTransaction: Promise<unknown>[] = none;

  constructor(acquired: AcquiredJob, processor: Processor, workerId: string, claimedAt: number) {
    this.job = acquired.job;
    this.acquired = acquired;
    this.processor = processor;
    this.workerId = workerId;
    this.claimedAt = claimedAt;
    this.renewedAt = claimedAt;
  }

  /** Made at the first access: most process functions do not use it. */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      if (this.abortReason !== null) this.#controller.abort(this.abortReason);
    }
    return this.#controller.signal;
  }

  /** The first reason stands. */
  abort(reason: JobAbortReason): void {
    if (this.abortReason !== null) return;
    this.abortReason = reason;
    this.#controller?.abort(reason);
    this.batch?.aborted(reason);
  }

  /** Whether the job is known to be held by another attempt, finished, or deleted. */
  get isLost(): boolean {
    return this.lossReason !== null;
  }

  /** Opens the attempt's only transaction. A call during the opening waits for the same one. */
  openTransaction(open: () => Promise<HeldTransaction>): Promise<HeldTransaction> {
    // Set before it counts as left: at every moment it is known that the transaction has to be ended.
    this.#opening ??= this.guardCallback(async () => (this.transaction = await open()));
    return this.#opening;
  }

  /** Remembers user code that runs in the transaction, for `leaveTransaction`. */
  async guardCallback<T>(callback: () => Promise<T>): Promise<T> {
    const inside = callback();
    if (this.#insideTransaction === none) this.#insideTransaction = [];
    this.#insideTransaction.push(inside);
    try {
      return await inside;
    } catch (error) {
      this.broken ??= { error };
      throw error;
    } finally {
      this.#insideTransaction.splice(this.#insideTransaction.indexOf(inside), 1);
    }
  }

  /** The opening of its transaction, once it was requested; else null. */
  get opening(): Promise<unknown> | null {
    return this.#opening;
  }

  get isInTransaction(): boolean {
    const isInBatch = this.batch !== null && this.batch.isInTransaction;
    return isInBatch || this.transaction !== null || this.#insideTransaction.length > 0;
  }

  /**
   * Resolves when no user code is inside the transaction, and no call that it has made there is under way. A client that
   * is given back too early would be in use by another transaction.
   */
  async leaveTransaction(): Promise<void> {
    while (this.#insideTransaction.length > 0) {
      // Their errors have gone to the user code that called them.
      await Promise.allSettled(this.#insideTransaction);
      await Promise.resolve();
    }
    await this.transaction?.leave();
  }

  /** Made at the first access: never, if no event is observed. */
  get data(): JobProcessingData {
    return (this.#data ??= toProcessingData(this.job, this.workerId));
  }
}

/**
 * The attempts that a worker holds: queued, running, or waiting to be settled. A `Set` of them would grow a new table every
 * thousand jobs. V8 links each table to the next, so one that has become old keeps all later ones, and their attempts, until
 * the next full collection. With this list, a collection of young objects finds 40 % fewer alive in a drain.
 */
export class HeldAttempts {
  readonly #list: Attempt[] = [];

  get size(): number {
    return this.#list.length;
  }

  has({ heldAt }: Attempt): boolean {
    return heldAt !== -1;
  }

  add(attempt: Attempt): void {
    if (attempt.heldAt !== -1) return;
    attempt.heldAt = this.#list.length;
    this.#list.push(attempt);
  }

  /** The last one moves into its place. */
  delete(attempt: Attempt): void {
    const last = this.#list.at(-1);
    if (attempt.heldAt === -1 || last === undefined) return;
    this.#list[attempt.heldAt] = last;
    last.heldAt = attempt.heldAt;
    this.#list.pop();
    attempt.heldAt = -1;
  }

  /** Of a copy: attempts may be added and deleted on the way. */
  [Symbol.iterator](): IterableIterator<Attempt> {
    return [...this.#list].values();
  }
}

/** Most attempts never have user code inside a transaction: they need no list of their own. */
const none: Promise<unknown>[] = [];

/** Field by field: spreading costs a microsecond, and this is made for every observed attempt. */
const toProcessingData = (job: StateJob, workerId: string): JobProcessingData => ({
  id: job.id,
  typeName: job.typeName,
  sequenceId: job.sequenceId,
  sequenceTypeName: job.sequenceTypeName,
  rootSequenceId: job.rootSequenceId,
  originId: job.originId,
  workerId,
  attempt: job.attempt,
  leaseVersion: job.leaseVersion,
});

/** Why the job is no longer this attempt's; undefined if it is not known to be lost. */
export const toLossError = ({ job, lossReason }: Attempt): Error | undefined => {
  switch (lossReason) {
    case "taken_by_another_worker":
      return new JobTakenByAnotherWorkerError(job.id, job.leaseVersion);
    case "already_completed":
      return new JobAlreadyCompletedError(job.id);
    case "cancelled":
      return new JobAbortedError("cancelled");
    case "lease_expired":
      return new JobAbortedError("lease_expired");
    case "not_found":
      return new JobNotFoundError(job.id);
    default:
      return undefined;
  }
};

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

/**
 * A promise that user code may forget to await. Its rejection must not end the process, whose other jobs are not concerned.
 * The attempt fails all the same, for it has no outcome.
 */
export const markHandled = <T>(
  promise: Promise<T>,
  onError: (error: unknown) => void = () => undefined,
): Promise<T> => {
  promise.catch(onError);
  return promise;
};

/** The result of `complete`, which the process function must return: proof that the attempt has its outcome. */
export class CompletionToken {
  readonly attempt: Attempt;
  readonly outcome: CompletionOutcome;

  constructor(attempt: Attempt, outcome: CompletionOutcome) {
    this.attempt = attempt;
    this.outcome = outcome;
  }
}

/** A promise only if the type's schema is asynchronous. */
export const toOutputOutcome = (
  engine: Engine,
  job: Attempt["job"],
  output: unknown,
): CompletionOutcome | Promise<CompletionOutcome> => {
  if (output instanceof ContinuationToken || output instanceof CompletionToken) {
    throw new ProcessMisuseError(
      "A continuation is returned by the complete callback, not given by value",
    );
  }
  const owner = { typeName: job.typeName, part: "output" } as const;
  const toOutcome = (text: JsonText): CompletionOutcome => ({ kind: "output", output: text });
  const text = toPayloadText(engine, owner, output);
  return text instanceof Promise ? text.then(toOutcome) : toOutcome(text);
};

/** By value no user code runs in the transaction. */
export const assertWithoutBlockers = (options: NewJobOptions | undefined): void => {
  if (options?.startBlockers === undefined) return;
  throw new ProcessMisuseError(
    "complete.continueWith takes no startBlockers: use complete(async ({ continueWith }) => …)",
  );
};
