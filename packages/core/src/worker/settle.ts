// Stage 3: outcomes become stored. By callback each in the transaction it came with; everything else in groups, one lane
// per kind of statement. What fails for a passing reason is tried again; what fails for good is tried one by one, so that
// one bad job never harms the others.
import { createGatherer, type Gatherer } from "../async/gatherer.ts";
import { withRetry } from "../async/retry.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import { reportWorkerError } from "../lifecycle/attempt-events.ts";
import { completeHeldJob, completeJobs, type ValueCompletion } from "../lifecycle/complete-jobs.ts";
import { type Failing, failJobs } from "../lifecycle/fail-jobs.ts";
import type { Attempt } from "../lifecycle/process-job/attempt.ts";
import { endAttemptSpan } from "../lifecycle/process-job/attempt-span.ts";
import { judge, type Outcome } from "../lifecycle/process-job/outcome.ts";
import { observeSettle } from "./observe-settle.ts";
import { type Rescheduling, rescheduleJobs } from "../lifecycle/reschedule-jobs.ts";

export interface Settler {
  /** Null when the slot may go on at once, as by value it may unless too much is waiting already; else a promise for it. */
  settle(attempt: Attempt, outcome: Outcome): Promise<void> | null;
  /** Resolves when nothing is waiting any more. */
  whenIdle(): Promise<void>;
}

interface Item {
  readonly attempt: Attempt;
}

/** More waiting than this holds the slots back. */
const backlogMax = 2 * limits.settleBatchMax;

/** How long a store may be away before settled work is given up, to be done again once its lease has expired. */
const retries = { maxRetries: 60, initialDelayMs: 50, multiplier: 1.5, maxDelayMs: 2_000 };
const retriesOfUnknown = { maxRetries: 3, initialDelayMs: 50, multiplier: 4, maxDelayMs: 2_000 };

/** `onSettled` is called once for every attempt, when its outcome is stored or given up. */
export const createSettler = (
  engine: Engine,
  workerId: string,
  onSettled: (attempt: Attempt) => void,
  /** Aborted when the worker will wait no longer. */
  giveUp: AbortSignal,
): Settler => {
  const finish = (attempt: Attempt): void => {
    endAttemptSpan(attempt);
    onSettled(attempt);
  };
  const lane = <TItem extends Item>(
    store: (items: readonly TItem[]) => Promise<void>,
    onRefused: (item: TItem, error: unknown) => void,
  ): Gatherer<TItem> => {
    const storeSome = async (items: readonly TItem[]): Promise<void> => {
      try {
        await observeSettle(engine, items, () =>
          storePatiently(engine, () => store(items), giveUp),
        );
        for (const { attempt } of items) finish(attempt);
      } catch (error) {
        const [first] = items;
        if (items.length === 1 && first !== undefined) return onRefused(first, error);
        const middle = items.length >> 1;
        await storeSome(items.slice(0, middle));
        await storeSome(items.slice(middle));
      }
    };
    return createGatherer(engine.clock, limits.settleBatchMax, storeSome);
  };

  const abandon = ({ attempt }: Item, error: unknown): void => {
    reportWorkerError(engine, attempt, "store an outcome; the job runs again", error);
    attempt.result = "abandoned";
    attempt.error = error;
    finish(attempt);
  };
  const reschedules = lane<Rescheduling>((items) => rescheduleJobs(engine, items), abandon);
  const failures = lane<Failing>((items) => failJobs(engine, items), abandon);
  const judgeAndSettle = (attempt: Attempt, error: unknown): void => {
    const verdict = judge(engine, attempt, error);
    attempt.error = error;
    if (verdict.kind === "fail") failures.add({ attempt, verdict });
    else reschedules.add({ attempt, verdict });
  };
  const completions = lane<ValueCompletion>(
    (items) => completeJobs(engine, workerId, items),
    // The store does not take this outcome: the attempt has failed.
    ({ attempt }, error) => judgeAndSettle(attempt, error),
  );

  const whenRoom = (): Promise<void> | null =>
    completions.size >= backlogMax ? completions.whenBelow(backlogMax) : null;
  return {
    settle: (attempt, outcome) => {
      if (outcome.kind === "held") {
        return settleHeld(engine, attempt, outcome).then((error) => {
          if (error === null) finish(attempt);
          else judgeAndSettle(attempt, error);
        });
      }
      if (outcome.kind === "value") completions.add({ attempt, outcome: outcome.outcome });
      else if (attempt.isLost) finish(attempt);
      else judgeAndSettle(attempt, outcome.error);
      return whenRoom();
    },
    whenIdle: async () => {
      // In this order: what the first refuses goes to the others.
      await completions.whenBelow(1);
      await reschedules.whenBelow(1);
      await failures.whenBelow(1);
    },
  };
};

/** Answers what kept it from being stored, or null. */
const settleHeld = async (
  engine: Engine,
  attempt: Attempt,
  { transaction, outcome }: Extract<Outcome, { readonly kind: "held" }>,
): Promise<Error | null> => {
  try {
    await observeSettle(engine, [{ attempt }], () =>
      completeHeldJob(engine, attempt, transaction, outcome),
    );
    return null;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    attempt.transaction = null;
  }
};

const storePatiently = (
  engine: Engine,
  store: () => Promise<void>,
  signal: AbortSignal,
): Promise<void> => {
  const { isTransientError } = engine.state.capabilities;
  return withRetry(store, {
    ...(isTransientError === undefined ? retriesOfUnknown : retries),
    isRetryable: isTransientError ?? (() => true),
    signal,
    clock: engine.clock,
    random: engine.random,
  });
};
