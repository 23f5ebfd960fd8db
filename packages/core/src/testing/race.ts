// Two transactions whose operations are forced to overlap. The first has done its work and stays
// open while the second starts. The second finishes its own, or waits for the first. Then both end,
// in a given order. The same pattern fits every store. With one writer the second waits. With row
// locks it may wait. With snapshots it is run again.
import type { TransactionEnd, TransactionOperation } from "./open-transaction.ts";
import type { StateCaseContext } from "./state-harness.ts";
import { settlesWithin, within } from "./waiting.ts";

/** Long enough for most of the transactions that a store with one writer lets begin beside another by mistake. */
const brokenMs = 10;

export interface Interleaving {
  readonly firstEnds: TransactionEnd;
  /** The transaction that ends first, once both have done their work, as far as locks allow. */
  readonly endsFirst: "first" | "second";
}

/** Every order of two transactions; the first commits. */
export const commitOrders: readonly Interleaving[] = [
  { firstEnds: "commit", endsFirst: "first" },
  { firstEnds: "commit", endsFirst: "second" },
];

/** Every order, and the first rolled back as well. */
export const interleavings: readonly Interleaving[] = [
  ...commitOrders,
  { firstEnds: "rollback", endsFirst: "first" },
  { firstEnds: "rollback", endsFirst: "second" },
];

export const nameInterleaving = ({ firstEnds, endsFirst }: Interleaving): string =>
  `the first ${firstEnds === "commit" ? "commits" : "rolls back"}, the ${endsFirst} ends first`;

export interface Race<TFirst, TSecond> extends Interleaving {
  readonly first: TransactionOperation<TFirst>;
  readonly second: TransactionOperation<TSecond>;
}

/** Runs the race. The result of a rolled-back transaction is undefined. */
export const race = async <TFirst, TSecond>(
  test: StateCaseContext,
  { first, second, firstEnds, endsFirst }: Race<TFirst, TSecond>,
): Promise<{ readonly first: TFirst | undefined; readonly second: TSecond | undefined }> => {
  const { stateAdapter, secondStateAdapter, capabilities, holdTransaction, settlesOrWaits } = test;
  const one = holdTransaction(stateAdapter, first);
  await within(one.operated, "the first operation");
  const two = holdTransaction(secondStateAdapter, second);
  // A store with one writer lets the second begin when the first has ended: only a broken one is awaited.
  const overlap = (call: Promise<unknown>): Promise<unknown> =>
    capabilities.concurrentWriters
      ? settlesOrWaits(Promise.race([call, two.conflicted]))
      : settlesWithin(call, brokenMs);
  await overlap(two.operated);
  if (endsFirst === "second") {
    two.end("commit");
    await overlap(two.done);
    one.end(firstEnds);
  } else {
    one.end(firstEnds);
    // Its error is thrown below.
    await settlesOrWaits(one.done);
    two.end("commit");
  }
  const [firstResult, secondResult] = await within(
    Promise.all([one.done, two.done]),
    "both transactions",
  );
  return { first: firstResult, second: secondResult };
};
