// A start whose key is taken, with `whenTaken: "cancel"`: the sequence that holds the key is cancelled, and the new one stored.
// The key stays locked for the transaction, so no third start comes in between.
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
  // Two starts of one call with one key: the second finds the first, and does not cancel it.
  const fresh = new Set(found.flatMap((one) => (one.deduplicated ? [] : [one.job.id])));
  const taken = found.flatMap(({ job, deduplicated }, index) => {
    const isTaken = deduplicated && !fresh.has(job.id);
    return isTaken && sequences[index]?.deduplication?.whenTaken === "cancel" ? [index] : [];
  });
  // A start with a key is in a transaction always.
  if (taken.length === 0 || context === undefined) return found;
  try {
    const ids = taken.flatMap((index) => found[index]?.job.id ?? []);
    await cancelReplaced(engine, context, [...new Set(ids)]);
  } catch (error) {
    await undoStarts(engine, context, found);
    throw error;
  }
  const wanted = taken.flatMap((index) => jobs[index] ?? []);
  const again = await engine.state.createJobs({ context, jobs: wanted });
  const replaced = new Map(taken.map((index, place) => [index, again[place]]));
  return found.map((one, index) => replaced.get(index) ?? one);
};
