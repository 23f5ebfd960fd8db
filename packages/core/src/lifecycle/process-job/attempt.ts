// One run of one job, from its claim to its outcome: what the slots, the lease keeper and the process function share.
import type { AcquiredJob, LeaseLostReason } from "../../adapters/state-adapter-params.ts";
import type { JobProcessingData } from "../../adapters/events.ts";
import type { AttemptResult, ObservabilitySpan } from "../../adapters/observability-adapter.ts";
import type { StateJob } from "../../model/state-job.ts";
import type { JobAbortReason } from "../../public-types/abort.ts";
import type { HeldTransaction } from "./held-transaction.ts";
import type { Processor } from "./processor.ts";

export class Attempt {
  readonly job: StateJob;
  readonly acquired: AcquiredJob;
  readonly processor: Processor;
  readonly workerId: string;
  /** By the worker's clock, taken before the claim was sent: never later than the store's own. */
  readonly claimedAt: number;
  /** When the lease was last known to be extended. */
  renewedAt: number;
  startedAt = 0;
  /** Its user code has begun: from here on it is never handed back. */
  hasBegun = false;
  /** Its outcome is decided; user code that goes on regardless may no longer open anything. */
  isOver = false;
  /** `complete` has been called, whatever came of it. */
  hasCompleted = false;
  isLeaseExpiryReported = false;
  isLossReported = false;
  isHoldingReported = false;
  abortReason: JobAbortReason | null = null;
  transaction: HeldTransaction | null = null;
  /** From the beginning of the attempt until its outcome is stored; null when nobody traces. */
  span: ObservabilitySpan | null = null;
  /** What is stored as having become of it. */
  result: AttemptResult | null = null;
  /** What its user code threw, or kept its outcome from being stored. */
  error: unknown;
  /** What user code inside its transaction threw first: that transaction is never committed, caught error or not. */
  broken: { readonly error: unknown } | null = null;
  /** Stands in the gauges as under way. */
  isCounted = false;
  #data: JobProcessingData | null = null;
  #controller: AbortController | null = null;
  #opening: Promise<HeldTransaction> | null = null;
  /** User code inside the transaction, or its opening: the transaction cannot be ended before they have. */
  #insideTransaction: Promise<unknown>[] = nobody;

  constructor(acquired: AcquiredJob, processor: Processor, workerId: string, claimedAt: number) {
    this.job = acquired.job;
    this.acquired = acquired;
    this.processor = processor;
    this.workerId = workerId;
    this.claimedAt = claimedAt;
    this.renewedAt = claimedAt;
  }

  /** Made when first asked for: most process functions never look at it. */
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
  }

  /** Whether the job is known to be somebody else's now, or gone. */
  get isLost(): boolean {
    return isLossReason(this.abortReason);
  }

  /** Opens the attempt's only transaction: whoever comes while it opens waits for the same one. */
  openTransaction(open: () => Promise<HeldTransaction>): Promise<HeldTransaction> {
    // Set before it counts as left: there is no moment in which nobody knows that it has to be ended.
    this.#opening ??= this.guardCallback(async () => (this.transaction = await open()));
    return this.#opening;
  }

  /** Remembers user code that runs in the transaction, for `leaveTransaction`. */
  async guardCallback<T>(callback: () => Promise<T>): Promise<T> {
    const inside = callback();
    if (this.#insideTransaction === nobody) this.#insideTransaction = [];
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

  /** Of its transaction, from when it was asked for; null if it never was. */
  get opening(): Promise<unknown> | null {
    return this.#opening;
  }

  get isInTransaction(): boolean {
    return this.transaction !== null || this.#insideTransaction.length > 0;
  }

  /**
   * Resolves when no user code is inside the transaction, nor a call that it has made there: a client given back too
   * early would be somebody else's.
   */
  async leaveTransaction(): Promise<void> {
    while (this.#insideTransaction.length > 0) {
      // Their errors have gone to the user code that called them.
      await Promise.allSettled(this.#insideTransaction);
      await Promise.resolve();
    }
    await this.transaction?.leave();
  }

  /** Made when first asked for: without anybody who observes, never. */
  get data(): JobProcessingData {
    return (this.#data ??= toProcessingData(this.job, this.workerId));
  }
}

/** Of most attempts there is never anybody inside a transaction: they need no list of their own. */
const nobody: Promise<unknown>[] = [];

/** Field by field: spreading costs a microsecond, and this is made for every attempt that somebody observes. */
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

const isLossReason = (reason: JobAbortReason | null): reason is LeaseLostReason =>
  reason === "taken_by_another_worker" || reason === "already_completed" || reason === "not_found";
