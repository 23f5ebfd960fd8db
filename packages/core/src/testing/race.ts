// Two transactions whose operations are forced to overlap. The first has done its work and stays
// open while the second starts. The second finishes its own, or waits for the first. Then both end,
// in a given order. The same pattern fits every store. With one writer the second waits. With row
// locks it may wait. With snapshots it is run again.
import type { TransactionEnd, TransactionOperation } from "./open-transaction.ts";
import type { StateCaseContext } from "./state-harness.ts";
import { graceMs, settlesWithin, within } from "./waiting.ts";

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
  { stateAdapter, secondStateAdapter, holdTransaction }: StateCaseContext,
  { first, second, firstEnds, endsFirst }: Race<TFirst, TSecond>,
): Promise<{ readonly first: TFirst | undefined; readonly second: TSecond | undefined }> => {
  const one = holdTransaction(stateAdapter, first);
  await within(one.operated, "the first operation");
  const two = holdTransaction(secondStateAdapter, second);
  await settlesWithin(two.operated, graceMs);
  if (endsFirst === "second") {
    two.end("commit");
    await settlesWithin(two.done, graceMs);
    one.end(firstEnds);
  } else {
    one.end(firstEnds);
    // Its error is thrown below.
    await settlesWithin(one.done, graceMs);
    two.end("commit");
  }
  const [firstResult, secondResult] = await within(
    Promise.all([one.done, two.done]),
    "both transactions",
  );
  return { first: firstResult, second: secondResult };
};
