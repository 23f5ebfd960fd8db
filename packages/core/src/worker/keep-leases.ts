// A worker that holds jobs has one timer. It renews their leases with one statement, and hands back jobs that cannot begin.
// If this worker is too busy to acquire, it reclaims expired leases of vanished workers. An idle worker has no timer.
//
// A lease of its own can expire all the same. The event loop was blocked, the store did not respond, or a transaction
// prevented the renewal. Then no worker of the client may acquire or reclaim that job, which still runs here.
import type { LeaseCheck } from "../adapters/state-adapter-params.ts";
import type { TimerHandle } from "../async/clock.ts";
import { defaults } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { emitAbout, reportLost } from "../lifecycle/attempt-events.ts";
import type { Attempt, HeldAttempts } from "../lifecycle/process-job/attempt.ts";
import type { Processor } from "../lifecycle/process-job/processor.ts";
import type { LeaseHolder } from "../lifecycle/own-leases.ts";
import { reclaimExpiredLeases } from "../lifecycle/reclaim-expired-leases.ts";
import { handBackJobs } from "../lifecycle/reschedule-jobs.ts";
import type { Slots } from "./acquire-state.ts";

export interface LeaseKeeperOptions {
  readonly workerId: string;
  readonly processors: readonly Processor[];
  /** Held attempts: queued, running, or waiting to be settled. */
  readonly attempts: HeldAttempts;
  readonly slots: Slots;
  readonly reapIntervalMs: number;
  readonly onHandedBack: (attempts: readonly Attempt[]) => void;
  /** Types whose leases had expired can be acquired again. */
  readonly onRecovered: () => void;
  readonly onError: (operation: string, error: unknown) => void;
}

/** A job that another worker could begin does not wait here for longer than this. */
const queuedMsMax = 1_000;

export class LeaseKeeper implements LeaseHolder {
  readonly #engine: Engine;
  readonly #options: LeaseKeeperOptions;
  readonly #tickMs: number;
  readonly #safeMsMin: number;
  #timer: TimerHandle | null = null;
  /** Statements under way: one round at a time. */
  #round: Promise<void> | null = null;
  #isStopped = false;
  #reclaimedAt: number;
  /** Every held lease that was safe at the last check is safe until then. */
  #safeUntil = Infinity;
  #expiredTypes: ReadonlySet<string> = none;

  constructor(engine: Engine, options: LeaseKeeperOptions) {
    this.#engine = engine;
    this.#options = options;
    const { processors } = options;
    // Often enough for the renewals of every type and for handing back.
    const intervals = processors.map(({ renewIntervalMs }) => renewIntervalMs / 2);
    this.#tickMs = Math.max(5, Math.min(500, ...intervals));
    this.#safeMsMin = Math.min(...processors.map(safeMs));
    this.#reclaimedAt = engine.clock.now();
    engine.ownLeases.add(this);
  }

  /** Jobs were acquired. The same statement has reclaimed expired leases of its types. */
  acquired(begunAt: number): void {
    this.#reclaimedAt = begunAt;
    this.#safeUntil = Math.min(this.#safeUntil, begunAt + this.#safeMsMin);
    this.#schedule();
  }

  get expiredTypes(): ReadonlySet<string> {
    return this.#expiredTypes;
  }

  recovered(): void {
    this.#options.onRecovered();
  }

  renewIfLate(): Promise<void> | null {
    if (this.#engine.clock.now() < this.#safeUntil) return null;
    this.#checkExpiry();
    return this.#expiredTypes.size === 0 ? null : this.#renewExpired();
  }

  /** Hands back the jobs that the predicate picks and that have not begun. Never rejects. */
  async handBack(isPicked: (attempt: Attempt) => boolean): Promise<void> {
    if (this.#isStopped) return;
    const picked = this.#options.slots.takeQueued(isPicked);
    if (picked.length === 0) return;
    // Taken out of the queue before the statement: they do not begin here, with any result of it.
    this.#options.onHandedBack(picked);
    while (this.#round !== null) await this.#round;
    await this.#run(() => handBackJobs(this.#engine, picked));
  }

  /** Resolves when the statements under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) this.#engine.clock.clearTimeout(this.#timer);
    this.#engine.ownLeases.remove(this);
    while (this.#round !== null) await this.#round;
  }

  #schedule(): void {
    const isNeeded = this.#options.attempts.size > 0 || this.#expiredTypes.size > 0;
    if (this.#timer !== null || this.#isStopped || !isNeeded) return;
    this.#timer = this.#engine.clock.setTimeout(() => {
      this.#timer = null;
      this.#checkExpiry();
      warnOfHeldTransactions(this.#engine, this.#options.attempts);
      // A statement that is not answered does not keep the expiry of leases from being noticed.
      if (this.#round === null) void this.#run(() => this.#lookAfter());
      this.#schedule();
    }, this.#tickMs);
  }

  /** Never rejects. */
  #run(round: () => Promise<void>): Promise<void> {
    this.#round = round()
      .catch((error: unknown) => this.#options.onError("look after its leases", error))
      .then(() => {
        this.#round = null;
      });
    return this.#round;
  }

  async #lookAfter(): Promise<void> {
    const { slots, workerId, reapIntervalMs } = this.#options;
    await this.#handBackOld();
    await this.#renewDue();
    const now = this.#engine.clock.now();
    const isSaturated = slots.activeCount >= slots.concurrency;
    if (!isSaturated || now - this.#reclaimedAt < reapIntervalMs) return;
    // Its own leases are renewed. Those of the client's other workers may have expired in the same blocked event loop. They
    // are not awaited: the other worker may be waiting for this one.
    const { ownLeases } = this.#engine;
    if (ownLeases.renewIfLate(this) !== null || ownLeases.anyHasExpired) return;
    this.#reclaimedAt = now;
    await reclaimExpiredLeases(this.#engine, workerId);
  }

  async #renewExpired(): Promise<void> {
    if (this.#round !== null) await this.#round;
    await this.#run(() => this.#renewDue());
  }

  /** Finds the leases that have expired, by this worker's clock: they began no later than by the store's. */
  #checkExpiry(): void {
    const now = this.#engine.clock.now();
    const expiredTypes = new Set<string>();
    let safeUntilMin = Infinity;
    for (const attempt of this.#options.attempts) {
      if (attempt.isLost) continue;
      const safeUntil = attempt.renewedAt + safeMs(attempt.processor);
      if (now < safeUntil) safeUntilMin = Math.min(safeUntilMin, safeUntil);
      else {
        expiredTypes.add(attempt.job.typeName);
        const attemptExpiresAt = attempt.renewedAt + attempt.processor.leaseMs;
        if (now >= attemptExpiresAt) this.#reportExpiry(attempt, attemptExpiresAt);
      }
    }
    const hasRecovered = [...this.#expiredTypes].some((typeName) => !expiredTypes.has(typeName));
    this.#safeUntil = safeUntilMin;
    this.#expiredTypes = expiredTypes;
    if (hasRecovered) this.#engine.ownLeases.reportRecovery();
  }

  #reportExpiry(attempt: Attempt, expiredAt: number): void {
    if (attempt.isOver) return;
    const { renewIntervalMs } = attempt.processor;
    const isOverdue = this.#engine.clock.now() >= expiredAt + renewIntervalMs;
    if (isOverdue && this.#canRenew(attempt)) attempt.abort("error");
    if (attempt.isLeaseExpiryReported) return;
    attempt.isLeaseExpiryReported = true;
    const leasedUntil = new Date(expiredAt);
    emitAbout(this.#engine, attempt, "jobAttemptLeaseExpired", () => ({
      ...attempt.data,
      leasedUntil,
    }));
  }

  #isExpired({ isOver, renewedAt, processor }: Attempt): boolean {
    return !isOver && this.#engine.clock.now() >= renewedAt + processor.leaseMs;
  }

  #canRenew(attempt: Attempt): boolean {
    return (
      this.#engine.state.capabilities.renewsLeasesBesideTransactions || !attempt.isInTransaction
    );
  }

  async #handBackOld(): Promise<void> {
    const now = this.#engine.clock.now();
    const old = this.#options.slots.takeQueued(
      ({ claimedAt, processor }) =>
        now - claimedAt >= Math.min(queuedMsMax, processor.renewIntervalMs),
    );
    if (old.length === 0) return;
    // Taken out of the queue before the statement: they do not begin here, with any result of it.
    this.#options.onHandedBack(old);
    await handBackJobs(this.#engine, old);
  }

  async #renewDue(): Promise<void> {
    const now = this.#engine.clock.now();
    const due = [...this.#options.attempts].filter(
      (attempt) =>
        now - attempt.renewedAt >= attempt.processor.renewIntervalMs - this.#tickMs / 2 &&
        !attempt.isLost &&
        this.#canRenew(attempt),
    );
    if (due.length === 0) return;
    try {
      const checks = await this.#engine.state.renewLeases({
        leases: due.map(({ job, processor }) => ({
          jobId: job.id,
          leaseVersion: job.leaseVersion,
          leaseMs: processor.leaseMs,
        })),
      });
      due.forEach((attempt, index) => this.#apply(attempt, checks[index], now));
    } catch (error) {
      // The store was out of reach for a whole lease: another worker may have the job.
      for (const attempt of due) if (this.#isExpired(attempt)) attempt.abort("error");
      throw error;
    } finally {
      this.#checkExpiry();
    }
  }

  #apply(attempt: Attempt, check: LeaseCheck | undefined, renewedAt: number): void {
    if (check?.kind === "held") {
      attempt.renewedAt = renewedAt;
      attempt.isLeaseExpiryReported = false;
      const { leaseMs } = attempt.processor;
      emitAbout(this.#engine, attempt, "jobAttemptLeaseRenewed", () => ({
        ...attempt.data,
        leaseMs,
      }));
    } else if (check !== undefined && this.#options.attempts.has(attempt) && !attempt.isOver) {
      // An attempt that was settled during the renewal has ended its lease itself.
      reportLost(this.#engine, attempt, check.reason);
    }
  }
}

/**
 * For how long after a renewal a lease is safe from this worker's own acquisitions. It ends half way between the renewal
 * that is due and the expiry, since a lease can expire while an acquisition is under way.
 */
const safeMs = ({ leaseMs, renewIntervalMs }: Processor): number => (leaseMs + renewIntervalMs) / 2;

const none: ReadonlySet<string> = new Set();

/** A transaction held for long keeps locks, a connection, and in some stores the only writer. */
const warnOfHeldTransactions = (engine: Engine, attempts: HeldAttempts): void => {
  const now = engine.clock.now();
  for (const attempt of attempts) {
    const { transaction } = attempt;
    if (transaction === null || attempt.isHoldingReported) continue;
    const heldMs = now - transaction.openedAt;
    if (heldMs < defaults.heldTransactionWarningMs) continue;
    attempt.isHoldingReported = true;
    emitAbout(engine, attempt, "jobHeldTransaction", () => ({ ...attempt.data, heldMs }));
  }
};
