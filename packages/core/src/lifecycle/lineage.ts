// The tree of a new sequence. Inside `startBlockers`, new sequences belong to the tree of the job that will wait for them. The
// context closes with the callback. Elsewhere a start names its `parent`, or it is a root.
import type { NewEntryJob } from "../adapters/state-adapter-params.ts";
import { ScopedStorage } from "../async/scoped-storage.ts";
import type { Engine } from "../engine.ts";
import { JobNotFoundError } from "../errors.ts";
import { assertName, assertObject } from "../model/assert-option.ts";

export interface Lineage {
  readonly rootSequenceId: string;
  readonly originId: string;
  readonly traceContext: string | null;
}

const storage = new ScopedStorage<{ lineage: Lineage | null }>();

/** Runs `startBlockers` for a job. Sequences that it starts descend from the job. */
export const withLineage = async <T>(lineage: Lineage, callback: () => Promise<T>): Promise<T> => {
  const cell: { lineage: Lineage | null } = { lineage };
  try {
    return await storage.run(cell, callback);
  } finally {
    cell.lineage = null;
  }
};

/** The job for which blockers are being started right now. */
export const currentLineage = (): Lineage | null => storage.get()?.lineage ?? null;

/** A job, or a sequence: its id is that of its first job. */
export interface Parent {
  readonly id: string;
  readonly sequenceId?: string | undefined;
}

export const assertParent = (parent: Parent): void => {
  assertObject(parent, "parent");
  assertName(parent.id, "parent.id");
  if (parent.sequenceId !== undefined) assertName(parent.sequenceId, "parent.sequenceId");
};

/**
 * Puts the jobs that name a parent into its tree. The sequences of the parents stay locked until the transaction ends. A
 * deletion of the tree therefore comes before this call, which then finds no parent, or after the commit, and sees the child.
 */
export const joinParents = async (
  { state }: Engine,
  context: object | undefined,
  parents: readonly (Parent | undefined)[],
  jobs: readonly NewEntryJob[],
): Promise<readonly NewEntryJob[]> => {
  const ids = [...new Set(parents.flatMap((parent) => (parent ? [sequenceIdOf(parent)] : [])))];
  // A start with a parent has a context, if need be that of a transaction of its own.
  if (ids.length === 0 || context === undefined) return jobs;
  const sequences = await state.lockSequences({ context, ids });
  const rootIds = new Map(ids.map((id, index) => [id, sequences[index]?.first.rootSequenceId]));
  return jobs.map((job, index) => {
    const parent = parents[index];
    if (parent === undefined) return job;
    const rootSequenceId = rootIds.get(sequenceIdOf(parent));
    if (rootSequenceId === undefined) throw new JobNotFoundError(parent.id);
    return { ...job, rootSequenceId, originId: parent.id };
  });
};

const sequenceIdOf = ({ id, sequenceId }: Parent): string => sequenceId ?? id;
