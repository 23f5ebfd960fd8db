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
