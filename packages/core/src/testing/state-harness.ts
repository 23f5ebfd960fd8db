import type {
  AnyStateAdapter,
  BaseStateAdapterContext,
  StateAdapterCapabilities,
} from "../adapters/state-adapter.ts";
import { holdTransaction, openTransaction } from "./open-transaction.ts";
import type { HeldTransaction, OpenTransaction, TransactionOperation } from "./open-transaction.ts";
import { createStateSteps } from "./steps.ts";
import type { StateSteps } from "./steps.ts";
import { graceMs, settlesOrWaits, settlesWithin } from "./waiting.ts";

/**
 * The parts that an adapter author provides to run the state suites. Every test gets an empty
 * store: a new one, or, with `clear`, the file's one emptied.
 */
export interface StateAdapterHarness {
  readonly stateAdapter: AnyStateAdapter;
  /**
   * Another instance on the same store, with connections of its own, as another process would have. Required where
   * `capabilities.sharedBetweenProcesses`; otherwise left out.
   */
  readonly secondStateAdapter?: AnyStateAdapter | undefined;
  /**
   * Which errors of a transaction mean "run it again": serialization failures and write conflicts. Left out
   * where the store waits instead of refusing. Deadlocks are none: they are bugs here.
   */
  readonly isTransactionConflict?: ((error: unknown) => boolean) | undefined;
  /**
   * Runs a statement that the store refuses, in this transaction, and swallows its error. Left out only by
   * stores without statements.
   */
  readonly poisonTransaction?: ((context: BaseStateAdapterContext) => Promise<void>) | undefined;
  /**
   * Begins a transaction with the driver alone, and returns the context that a user then spreads into calls. Left out if the
   * store accepts only contexts of `runInTransaction`.
   */
  readonly beginUsersTransaction?: (() => Promise<UsersTransaction>) | undefined;
  /**
   * Whether a statement waits for another transaction now. With it, a case that forces two transactions to overlap goes on as
   * soon as one of them waits. Left out: it waits for a while, as long as a statement that is free to go may take.
   */
  readonly hasWaiting?: (() => Promise<boolean>) | undefined;
  /** Empties the store. With it, one harness serves a whole test file. */
  readonly clear?: (() => Promise<void>) | undefined;
  readonly close: () => Promise<void>;
}

/** A transaction that was not opened by `runInTransaction`. */
export interface UsersTransaction {
  readonly context: BaseStateAdapterContext;
  readonly rollBack: () => Promise<void>;
}

/** The fixtures of each case of a state suite. */
export interface StateCaseContext {
  readonly stateAdapter: AnyStateAdapter;
  /** The same adapter where there can be no second. */
  readonly secondStateAdapter: AnyStateAdapter;
  readonly capabilities: StateAdapterCapabilities;
  readonly runInTransaction: AnyStateAdapter["runInTransaction"];
  readonly poisonTransaction: ((context: BaseStateAdapterContext) => Promise<void>) | undefined;
  readonly beginUsersTransaction: (() => Promise<UsersTransaction>) | undefined;
  readonly isTransactionConflict: (error: unknown) => boolean;
  /** Moves outside any transaction. */
  readonly steps: StateSteps;
  /** The same on the second adapter. */
  readonly secondSteps: StateSteps;
  readonly openTransaction: (adapter?: AnyStateAdapter) => Promise<OpenTransaction>;
  readonly holdTransaction: <T>(
    adapter: AnyStateAdapter,
    operation: TransactionOperation<T>,
  ) => HeldTransaction<T>;
  /** Waits until the call has settled, or the store says that a statement waits; at the latest for a while. Never rejects. */
  readonly settlesOrWaits: (call: Promise<unknown>) => Promise<void>;
  /**
   * How long to wait for a call that may be blocked. It is long where the call must not be blocked,
   * so that a busy machine fails no case.
   */
  readonly patienceMs: (mustFinish: boolean) => number;
  /** For everything random; printed when the case fails. */
  readonly seed: number;
}

const lastRollbackMs = 2_000;

/**
 * Runs a case, and rolls back its open transactions, so that one failure does not affect the next
 * test.
 */
export const runStateCase = async (
  run: (context: StateCaseContext) => Promise<void>,
  harness: StateAdapterHarness,
  seed: number,
): Promise<void> => {
  const leftOpen: Promise<unknown>[] = [];
  const endings: (() => void)[] = [];
  const context = toCaseContext(harness, seed, (transaction, rollBack) => {
    leftOpen.push(transaction);
    endings.push(rollBack);
  });
  try {
    await run(context);
  } finally {
    for (const rollBack of endings) rollBack();
    await settlesWithin(Promise.allSettled(leftOpen), lastRollbackMs);
  }
};

type Track = (transaction: Promise<unknown>, rollBack: () => void) => void;

const toCaseContext = (
  harness: StateAdapterHarness,
  seed: number,
  track: Track,
): StateCaseContext => {
  const { stateAdapter, isTransactionConflict = () => false } = harness;
  const secondStateAdapter = harness.secondStateAdapter ?? stateAdapter;
  return {
    stateAdapter,
    secondStateAdapter,
    capabilities: stateAdapter.capabilities,
    runInTransaction: (callback) => stateAdapter.runInTransaction(callback),
    poisonTransaction: harness.poisonTransaction,
    beginUsersTransaction: harness.beginUsersTransaction,
    isTransactionConflict,
    steps: createStateSteps(stateAdapter),
    secondSteps: createStateSteps(secondStateAdapter),
    openTransaction: async (adapter = stateAdapter) => {
      const transaction = await openTransaction(adapter);
      track(transaction.held.done, () => transaction.held.end("rollback"));
      return transaction;
    },
    holdTransaction: (adapter, operation) => {
      const held = holdTransaction(adapter, operation, { isTransactionConflict });
      track(held.done, () => held.end("rollback"));
      return held;
    },
    settlesOrWaits: (call) => settlesOrWaits(call, harness.hasWaiting),
    patienceMs: (mustFinish) => (mustFinish ? graceMs * 30 : graceMs),
    seed,
  };
};
