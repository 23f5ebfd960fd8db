// A start whose key is taken, with `whenTaken: "cancel"`: the sequence that holds the key is cancelled, and the new one stored.
//
// In most stores the key stays locked for the transaction. On MongoDB a third start may take it in between: one that had asked for
// the key before. That one is cancelled, too. It is not in the snapshot of this transaction, which then conflicts and runs again.
import type { CreatedStateJob, NewEntryJob } from "../adapters/state-adapter-params.ts";
import type { Engine } from "../engine.ts";
import type { DeduplicationOptions } from "../model/deduplication.ts";
import { cancelReplaced } from "./cancel-sequences.ts";
import { undoStarts } from "./given-ids.ts";

/** New jobs, and the options of each start. */
export interface KeyedStarts {
  readonly sequences: readonly { readonly deduplication?: DeduplicationOptions | undefined }[];
  readonly jobs: readonly NewEntryJob[];
}

/** Returns the results of `createJobs` for these starts, with those of replaced sequences anew. */
export const replaceTaken = async (
  engine: Engine,
  context: object | undefined,
  { sequences, jobs }: KeyedStarts,
  found: readonly CreatedStateJob[],
): Promise<readonly CreatedStateJob[]> => {
  if (!sequences.some(({ deduplication }) => deduplication?.whenTaken === "cancel")) return found;
  // A start with a key is in a transaction always.
  if (context === undefined) return found;
  const results = [...found];
  const tried = new Set<string>();
  for (;;) {
    const taken = takenOf(sequences, results, tried);
    if (taken.length === 0) return results;
    try {
      const ids = [...new Set(taken.flatMap((index) => results[index]?.job.id ?? []))];
      for (const id of ids) tried.add(id);
      await cancelReplaced(engine, context, ids);
    } catch (error) {
      await undoStarts(engine, context, results);
      throw error;
    }
    const wanted = taken.flatMap((index) => jobs[index] ?? []);
    const again = await engine.state.createJobs({ context, jobs: wanted });
    taken.forEach((index, place) => {
      const one = again[place];
      if (one !== undefined) results[index] = one;
    });
  }
};

/** The starts that have found another sequence, which is to be cancelled. One that was tried holds its key although it has ended. */
const takenOf = (
  sequences: KeyedStarts["sequences"],
  results: readonly CreatedStateJob[],
  tried: ReadonlySet<string>,
): readonly number[] => {
  // Two starts of one call with one key: the second finds the first, and does not cancel it.
  const fresh = new Set(results.flatMap((one) => (one.deduplicated ? [] : [one.job.id])));
  return results.flatMap(({ job, deduplicated }, index) => {
    const isTaken = deduplicated && !fresh.has(job.id) && !tried.has(job.id);
    return isTaken && sequences[index]?.deduplication?.whenTaken === "cancel" ? [index] : [];
  });
};
