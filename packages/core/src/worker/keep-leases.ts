// While jobs are held: one timer that renews their leases with one statement, hands back what was claimed and cannot begin,
// and, when the worker is too busy to acquire, reclaims what other workers have left behind. An idle worker has none.
import type { LeaseCheck } from "../adapters/state-adapter-params.ts";
import type { TimerHandle } from "../async/clock.ts";
import { defaults } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { emitAbout, reportLost } from "../lifecycle/attempt-events.ts";
import type { Attempt } from "../lifecycle/process-job/attempt.ts";
import { reclaimExpiredLeases } from "../lifecycle/reclaim-expired-leases.ts";
import { handBackJobs } from "../lifecycle/reschedule-jobs.ts";
import type { Slots } from "./slots.ts";

export interface LeaseKeeperOptions {
  readonly workerId: string;
  /** Held attempts: queued, under way, or waiting to be settled. */
  readonly attempts: ReadonlySet<Attempt>;
  readonly slots: Slots;
  readonly tickMs: number;
  readonly reapIntervalMs: number;
  readonly onHandedBack: (attempts: readonly Attempt[]) => void;
  readonly onError: (operation: string, error: unknown) => void;
}

export interface LeaseKeeper {
  /** Jobs are held from now on. */
  start(): void;
  /** An acquisition has just reclaimed what had expired of its types. */
  acquired(): void;
  stop(): Promise<void>;
}

/** A job that another worker could begin is not kept waiting here for longer than this. */
const queuedMsMax = 1_000;

export const createLeaseKeeper = (engine: Engine, options: LeaseKeeperOptions): LeaseKeeper => {
  const { attempts, slots, tickMs, reapIntervalMs, workerId, onError } = options;
  let timer: TimerHandle | null = null;
  let ticking: Promise<void> = Promise.resolve();
  let isStopped = false;
  let reapedAt = engine.clock.now();

  const tick = async (): Promise<void> => {
    warnOfHeldTransactions(engine, attempts);
    await handBackOld(engine, options);
    await renewDue(engine, options);
    const now = engine.clock.now();
    if (slots.activeCount >= slots.concurrency && now - reapedAt >= reapIntervalMs) {
      reapedAt = now;
      await reclaimExpiredLeases(engine, workerId);
    }
  };

  const schedule = (): void => {
    if (timer !== null || isStopped || attempts.size === 0) return;
    timer = engine.clock.setTimeout(() => {
      ticking = tick()
        .catch((error: unknown) => onError("look after its leases", error))
        .then(() => {
          timer = null;
          schedule();
        });
    }, tickMs);
  };

  return {
    start: schedule,
    acquired: () => {
      reapedAt = engine.clock.now();
    },
    stop: async () => {
      isStopped = true;
      if (timer !== null) engine.clock.clearTimeout(timer);
      await ticking;
    },
  };
};

const handBackOld = async (
  engine: Engine,
  { slots, onHandedBack }: LeaseKeeperOptions,
): Promise<void> => {
  const now = engine.clock.now();
  const old = slots.takeQueued(
    ({ claimedAt, processor }) =>
      now - claimedAt >= Math.min(queuedMsMax, processor.renewIntervalMs),
  );
  if (old.length === 0) return;
  // Not begun and out of the queue: whatever comes of the statement, they are nobody's attempts here.
  onHandedBack(old);
  await handBackJobs(engine, old);
};

const renewDue = async (engine: Engine, options: LeaseKeeperOptions): Promise<void> => {
  const now = engine.clock.now();
  const canRenewBeside = engine.state.capabilities.renewsLeasesBesideTransactions;
  const due = [...options.attempts].filter(
    (attempt) =>
      now - attempt.renewedAt >= attempt.processor.renewIntervalMs - options.tickMs / 2 &&
      (canRenewBeside || !attempt.isInTransaction) &&
      !attempt.isLost,
  );
  if (due.length === 0) return;
  try {
    const checks = await engine.state.renewLeases({
      leases: due.map(({ job, processor }) => ({
        jobId: job.id,
        leaseVersion: job.leaseVersion,
        leaseMs: processor.leaseMs,
      })),
    });
    due.forEach((attempt, index) => applyCheck(engine, options, attempt, checks[index], now));
  } catch (error) {
    for (const attempt of due) reportExpiry(engine, attempt);
    throw error;
  }
};

const applyCheck = (
  engine: Engine,
  { attempts }: LeaseKeeperOptions,
  attempt: Attempt,
  check: LeaseCheck | undefined,
  renewedAt: number,
): void => {
  if (check?.kind === "held") {
    attempt.renewedAt = renewedAt;
    attempt.isLeaseExpiryReported = false;
    const { leaseMs } = attempt.processor;
    emitAbout(engine, attempt, "jobAttemptLeaseRenewed", () => ({ ...attempt.data, leaseMs }));
  } else if (check !== undefined && attempts.has(attempt)) {
    // Settled while the renewal was on its way, it is finished by its own doing.
    if (!attempt.isOver) reportLost(engine, attempt, check.reason);
  }
};

/** The store could not be reached for a whole lease: somebody else may have the job; the process function is told. */
const reportExpiry = (engine: Engine, attempt: Attempt): void => {
  const expiredAt = attempt.renewedAt + attempt.processor.leaseMs;
  if (engine.clock.now() < expiredAt || attempt.isLeaseExpiryReported || attempt.isOver) return;
  attempt.isLeaseExpiryReported = true;
  attempt.abort("error");
  const leasedUntil = new Date(expiredAt);
  emitAbout(engine, attempt, "jobAttemptLeaseExpired", () => ({ ...attempt.data, leasedUntil }));
};

/** A transaction held for long keeps locks, a connection, and in some stores the only writer: its handler is named. */
const warnOfHeldTransactions = (engine: Engine, attempts: ReadonlySet<Attempt>): void => {
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
