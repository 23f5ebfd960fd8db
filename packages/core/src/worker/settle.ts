// Step 6 of the walk, settled: outcomes are stored. By callback each is stored in its own transaction. All others are
// stored in batches, one lane per kind of statement. A passing error is retried; after a lasting one the batch is split, so
// that one bad job never harms the others.
import { type Batcher, createBatcher } from "../async/batcher.ts";
import { withRetry } from "../async/retry.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import {
  countAttempt,
  endAttemptSpan,
  type Item,
  observeSettle,
  reportWorkerError,
} from "../lifecycle/attempt-events.ts";
import { type Cancelling, cancelOwnJobs } from "../lifecycle/cancel-sequences.ts";
import { completeHeldJob, completeJobs, type ValueCompletion } from "../lifecycle/complete-jobs.ts";
import { type Failing, failJobs } from "../lifecycle/fail-jobs.ts";
import { runAfterCommit } from "../lifecycle/process-job/after-commit.ts";
import type { Attempt, HeldAttempts } from "../lifecycle/process-job/attempt.ts";
import type { Batch, BatchResult } from "../lifecycle/process-job/batch.ts";
import { decideFailure, type Outcome } from "../lifecycle/process-job/decide-failure.ts";
import { type Rescheduling, rescheduleJobs } from "../lifecycle/reschedule-jobs.ts";

import { handedBack, settleBatch } from "./settle-batch.ts";

export interface Settler {
  /** Null if the slot may continue at once, as by value unless too many outcomes are waiting; else a promise for it. */
  settle(attempt: Attempt, outcome: Outcome): Promise<void> | null;
  /** Resolves when the slot may continue. */
  settleBatch(batch: Batch, result: BatchResult): Promise<void>;
  /** Resolves when no outcome is waiting any more, and the callbacks of `afterCommit` have ended. */
  whenIdle(): Promise<void>;
}

/** How long a store may be away before an outcome is given up. Its job runs again once the lease has expired. */
const retries = { maxRetries: 60, initialDelayMs: 50, multiplier: 1.5, maxDelayMs: 2_000 };
const retriesOfUnknown = { maxRetries: 3, initialDelayMs: 50, multiplier: 4, maxDelayMs: 2_000 };

/** Takes each attempt out of `attempts` when its outcome is stored or given up. */
export const createSettler = (
  engine: Engine,
  workerId: string,
  attempts: HeldAttempts,
  /** Aborted when the worker will wait no longer. */
  giveUp: AbortSignal,
  /** The outcome of an attempt is stored, or given up. */
  onSettled: () => void,
): Settler => {
  const callbacks = new Set<Promise<unknown>>();
  const finish = (attempt: Attempt): void => {
    endAttemptSpan(attempt);
    countAttempt(engine, attempt);
    engine.logWriter?.end(attempt);
    attempts.delete(attempt);
    onSettled();
    const running = runAfterCommit(engine, attempt);
    if (running !== null) callbacks.add(running);
    void running?.then(() => callbacks.delete(running));
  };
  const abandon = ({ attempt }: Item, error: unknown): void => {
    reportWorkerError(engine, attempt, "store the outcome, so it runs again", error);
    attempt.result = "abandoned";
    attempt.error = error;
    finish(attempt);
  };
  const lane = <TItem extends Item>(options: LaneOptions<TItem>): Batcher<TItem> =>
    createLane(engine, finish, giveUp, options);
  const plainLane = <TItem extends Item>(
    store: (engine: Engine, items: readonly TItem[]) => Promise<void>,
  ): Batcher<TItem> => lane<TItem>({ store: (items) => store(engine, items), onRefused: abandon });
  const reschedules = plainLane<Rescheduling>(rescheduleJobs);
  const failures = plainLane<Failing>(failJobs);
  const cancellations = plainLane<Cancelling>(cancelOwnJobs);
  const fail = (attempt: Attempt, error: unknown): void => {
    const decision = decideFailure(engine, attempt, error);
    attempt.error = error;
    if (decision.kind === "fail") failures.add({ attempt, decision });
    else if (decision.kind === "cancel") cancellations.add({ attempt, ...decision });
    else reschedules.add({ attempt, decision });
  };
  const completions = lane<ValueCompletion>({
    store: (items) => completeJobs(engine, workerId, items),
    // The store refuses this outcome: the attempt has failed.
    onRefused: ({ attempt }, error) => fail(attempt, error),
    weightOf: payloadLengthOf,
  });

  const settle: Settler["settle"] = (attempt, outcome) => {
    if (outcome.kind === "held") {
      return settleHeld(engine, attempt, outcome).then((error) => {
        if (error === null) finish(attempt);
        else fail(attempt, error);
      });
    }
    if (outcome.kind === "value") completions.add({ attempt, outcome: outcome.outcome });
    else if (attempt.isLost) finish(attempt);
    else fail(attempt, outcome.error);
    return completions.whenRoom();
  };
  const handBack = (attempt: Attempt): void => {
    if (attempt.isLost) finish(attempt);
    else reschedules.add({ attempt, decision: handedBack });
  };

  return {
    settle,
    settleBatch: (batch, result) =>
      settleBatch(engine, workerId, { settle, finish, fail, handBack }, batch, result),
    whenIdle: async () => {
      // In this order: an outcome that the first lane refuses goes to the others.
      for (const each of [completions, reschedules, failures, cancellations]) await each.whenIdle();
      await Promise.all(callbacks);
    },
  };
};

interface LaneOptions<TItem> {
  readonly store: (items: readonly TItem[]) => Promise<void>;
  readonly onRefused: (item: TItem, error: unknown) => void;
  readonly weightOf?: (item: TItem) => number;
}

/** The outcomes of one kind, stored in batches. If the store refuses a batch, its halves are stored by themselves. */
const createLane = <TItem extends Item>(
  engine: Engine,
  finish: (attempt: Attempt) => void,
  giveUp: AbortSignal,
  { store, onRefused, weightOf = () => 0 }: LaneOptions<TItem>,
): Batcher<TItem> => {
  const storeBatch = async (items: readonly TItem[]): Promise<void> => {
    try {
      await observeSettle(engine, items, () => storePatiently(engine, () => store(items), giveUp));
      for (const { attempt } of items) finish(attempt);
    } catch (error) {
      const [first] = items;
      if (items.length === 1 && first !== undefined) return onRefused(first, error);
      const middle = items.length >> 1;
      await storeBatch(items.slice(0, middle));
      await storeBatch(items.slice(middle));
    }
  };
  const bounds = {
    itemsMax: limits.settleBatchMax,
    weightMax: limits.callCharactersMax,
    weightOf,
  };
  return createBatcher(engine.clock, bounds, storeBatch);
};

/** The characters of the payload that a completion stores. */
const payloadLengthOf = ({ outcome }: ValueCompletion): number => {
  if (outcome.kind === "output") return outcome.output.length;
  return outcome.kind === "continuation" ? outcome.job.input.length : 0;
};

/** Resolves with the error that kept the outcome from being stored, or null. */
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
    attempt.result = null;
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
