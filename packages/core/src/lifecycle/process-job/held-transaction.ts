// A transaction that stays open across user code.
//
//   open ──▶ user's callback ──▶ process function returns ──▶ settle statement ──▶ commit ──▶ effects flushed
//     │             │ throws                │ throws                │ lease lost      │ fails
//     └─────────────┴───────────────────────┴───────────────────────┴─────────────────┴──▶ rollback, effects dropped
//
// Providers take a callback, so the transaction lives inside one that waits for the verdict.
import type { OpenTransaction } from "../../after-commit/open-transactions.ts";
import { createDeferred } from "../../async/deferred.ts";
import type { Engine } from "../../engine.ts";
import type { Attempt } from "./attempt.ts";
import type { Outcome } from "./decide-failure.ts";

export interface HeldTransaction extends Pick<
  OpenTransaction,
  "context" | "effects" | "call" | "leave"
> {
  readonly openedAt: number;
  /** Rejects when the commit fails or its result is unknown: the effects are then the caller's to end. */
  commit(): Promise<void>;
  /** Never rejects: a connection that is gone has rolled back by itself. */
  rollback(): Promise<void>;
  /** As `rollback`, for a commit whose result is unknown: the effects are the caller's to end. */
  abandon(): Promise<void>;
}

/** Thrown through the provider to make it roll back; never surfaces. */
class RollbackRequest extends Error {}

/** Opens a transaction and hands it out once it is there. */
export const openHeldTransaction = async (engine: Engine): Promise<HeldTransaction> => {
  const opened = createDeferred<object>();
  const verdict = createDeferred<void>();
  const finished = engine.state.runInTransaction(async (context) => {
    opened.resolve(context);
    await verdict.promise;
  });
  // A transaction that could not be opened rejects here; a later rejection is seen by `commit` or `abandon`.
  finished.catch(opened.reject);

  const context = await opened.promise;
  const transaction = engine.transactions.open(context, engine.effects.create());
  const { effects } = transaction;
  const abandon = async (): Promise<void> => {
    verdict.reject(new RollbackRequest());
    // If the rollback fails, the connection is gone, and nothing of the transaction is stored.
    await finished.catch(() => undefined);
    engine.transactions.forget(transaction);
  };
  return {
    context: transaction.context,
    effects,
    openedAt: engine.clock.now(),
    call: (operation, run) => transaction.call(operation, run),
    leave: () => transaction.leave(),
    commit: async () => {
      verdict.resolve();
      try {
        await finished;
      } finally {
        engine.transactions.forget(transaction);
      }
      effects.flush();
    },
    rollback: () => {
      effects.discard();
      return abandon();
    },
    abandon,
  };
};

/** The outcome is decided. A transaction is left open for the outcome `held` only. */
export const endAttempt = (attempt: Attempt, outcome: Outcome): Outcome | Promise<Outcome> => {
  attempt.isOver = true;
  if (outcome.kind === "held") return leaveHeld(attempt, outcome);
  return attempt.isInTransaction ? endTransaction(attempt).then(() => outcome) : outcome;
};

/** A callback that was not awaited is awaited here: its writes belong to the commit, and its error prevents it. */
const leaveHeld = async (attempt: Attempt, outcome: Outcome): Promise<Outcome> => {
  await attempt.leaveTransaction();
  const { broken } = attempt;
  if (broken === null) return outcome;
  await endTransaction(attempt);
  return { kind: "threw", error: broken.error };
};

/** Rolls back, once no user code is inside any more. */
const endTransaction = async (attempt: Attempt): Promise<void> => {
  await attempt.leaveTransaction();
  await attempt.transaction?.rollback();
  attempt.transaction = null;
};
