// Deletion of whole trees: all or nothing. The handler of a deleted job is notified, and cannot settle the job any more.
import type { DeleteSequencesResult } from "../adapters/state-adapter-params.ts";
import type { BlockerEdge } from "../adapters/state-adapter-queries.ts";
import type { Engine } from "../engine.ts";
import {
  InvalidOptionError,
  JobSequencesStillBlockingError,
  NotARootSequenceError,
} from "../errors.ts";
import { assertElementCount, assertName } from "../model/assert-option.ts";
import { requireTransaction } from "../after-commit/open-transactions.ts";

export interface DeleteOptions {
  readonly rootSequenceIds: readonly string[];
  readonly dependants?: "refuse" | "delete" | undefined;
}

/** Deletes the trees of these roots in the caller's transaction. */
export const deleteSequences = async (
  engine: Engine,
  given: object | undefined,
  { rootSequenceIds, dependants = "refuse" }: DeleteOptions,
): Promise<{ readonly jobCount: number }> => {
  assertIds(rootSequenceIds, "rootSequenceIds");
  if (dependants !== "refuse" && dependants !== "delete") {
    throw new InvalidOptionError("dependants", dependants, 'give "refuse" or "delete"');
  }
  const context = await requireTransaction(engine, given, "deleteJobSequences");
  const [anyId] = rootSequenceIds;
  if (anyId === undefined) return { jobCount: 0 };
  const result = await deleteTrees(engine, context, rootSequenceIds, dependants);
  if (result.kind === "notRoots") throw new NotARootSequenceError(result.sequenceIds);
  if (result.kind === "blocking") {
    throw new JobSequencesStillBlockingError(dependantsOf(result.edges));
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

const dependantsOf = (edges: readonly BlockerEdge[]): readonly string[] => [
  ...new Set(edges.map(({ sequenceId }) => sequenceId)),
];

/** With `"delete"`: the trees that wait are added, then those that wait for them, until no tree outside waits. */
const deleteTrees = async (
  { state }: Engine,
  context: object,
  rootSequenceIds: readonly string[],
  dependants: "refuse" | "delete",
): Promise<DeleteSequencesResult> => {
  const roots = new Set(rootSequenceIds);
  for (;;) {
    const result = await state.deleteSequences({ context, rootSequenceIds: [...roots] });
    if (result.kind !== "blocking" || dependants === "refuse") return result;
    const ids = dependantsOf(result.edges);
    const waiting = await state.getSequences({ context, ids });
    // A root that is there already would be asked for again for ever.
    const added = waiting.flatMap((sequence) => {
      const root = sequence?.first.rootSequenceId;
      return root === undefined || roots.has(root) ? [] : [root];
    });
    if (added.length === 0) return result;
    for (const root of added) roots.add(root);
  }
};

/** Ids are strings that a store can keep. An unknown id is reported by the store, and not refused here. */
export const assertIds = (ids: unknown, option: string): void => {
  if (!Array.isArray(ids)) throw new InvalidOptionError(option, ids, "give an array of ids");
  assertElementCount(ids, option);
  for (const id of ids) assertName(id, option);
};
