// Deletion of whole trees: all or nothing. The handler of a deleted job is notified, and cannot settle the job any more.
import type { Engine } from "../engine.ts";
import {
  InvalidOptionError,
  JobSequencesStillBlockingError,
  NotARootSequenceError,
} from "../errors.ts";
import { assertElementCount, assertName } from "../model/assert-option.ts";
import { requireTransaction } from "../after-commit/open-transactions.ts";

/** Deletes the trees of these roots in the caller's transaction. */
export const deleteSequences = async (
  engine: Engine,
  given: object | undefined,
  rootSequenceIds: readonly string[],
): Promise<{ readonly jobCount: number }> => {
  assertIds(rootSequenceIds, "rootSequenceIds");
  const context = await requireTransaction(engine, given, "deleteJobSequences");
  const [anyId] = rootSequenceIds;
  if (anyId === undefined) return { jobCount: 0 };
  const result = await engine.state.deleteSequences({ context, rootSequenceIds });
  if (result.kind === "notRoots") throw new NotARootSequenceError(result.sequenceIds);
  if (result.kind === "blocking") {
    const dependants = new Set(result.edges.map(({ sequenceId }) => sequenceId));
    throw new JobSequencesStillBlockingError([...dependants]);
  }
  const { jobCount, running } = result;
  const evidence = {
    operation: "deleteJobSequences",
    jobId: anyId,
    jobCount,
    isConfirmedBy: (stored: unknown): boolean => stored === undefined,
  };
  engine.effects.record(context, evidence, (effects) => {
    for (const job of running) effects.ownershipLost(job.id);
    effects.emit("jobSequencesDeleted", () => ({ rootSequenceIds, jobCount }));
  });
  return { jobCount };
};

/** Ids are strings that a store can keep. An unknown id is reported by the store, and not refused here. */
export const assertIds = (ids: unknown, option: string): void => {
  if (!Array.isArray(ids)) throw new InvalidOptionError(option, ids, "give an array of ids");
  assertElementCount(ids, option);
  for (const id of ids) assertName(id, option);
};
