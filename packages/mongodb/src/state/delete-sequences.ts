// Whole trees are deleted, or nothing. A job that begins to wait for a sequence meanwhile is not missed: see
// `agreement/`. A deduplication key passes over the proposals of deleted sequences, and drops them later.
import type { BlockerEdge, DeleteSequencesResult, StateAdapter } from "queuert/internal";
import { agreeToEnd } from "../agreement/waiter-handshake.ts";
import type { Database } from "../database.ts";
import {
  type JobDocument,
  referenceFields,
  rootSequenceIdOf,
  sequenceIdOf,
  toReference,
} from "../job-document.ts";
import { leaveTurns } from "../limit-keys/move-jobs.ts";
import type { Scope } from "../store.ts";
import { toBlockerEdges } from "./list-blocker-edges.ts";
import { treeMembers } from "./list-filters.ts";

type DeleteSequences = StateAdapter<object, object, string>["deleteSequences"];

export const deleteSequences =
  (db: Database): DeleteSequences =>
  async ({ context, rootSequenceIds }) => {
    if (rootSequenceIds.length === 0) return { kind: "deleted", jobCount: 0, running: [] };
    return db.transact(context, async (scope): Promise<DeleteSequencesResult> => {
      const noRoots = await db.jobs.find(
        scope,
        { _id: { $in: rootSequenceIds }, rootSequenceId: { $exists: true } },
        { projection: { _id: 1 } },
      );
      if (noRoots.length > 0) {
        return { kind: "notRoots", sequenceIds: noRoots.map(({ _id }) => _id) };
      }
      const tree = await readTrees(db, scope, rootSequenceIds);
      // A start that finds one of these as the holder of its key waits until this transaction has ended.
      const keyed = tree.filter((job) => job.deduplicationKey !== undefined || job.hasGivenId);
      const edges = await findWaitingOutside(db, scope, tree, keyed);
      if (edges.length > 0) return { kind: "blocking", edges };
      const jobCount = await deleteTrees(db, scope, tree);
      const running = tree.filter(({ status }) => status === "running").map(toReference);
      return { kind: "deleted", jobCount, running };
    });
  };

/** Every job of the trees, with the fields that deleting needs. */
export const readTrees = (
  { jobs }: Database,
  scope: Scope,
  rootIds: readonly string[],
): Promise<JobDocument[]> =>
  jobs.find(scope, treeMembers(rootIds), {
    projection: {
      ...referenceFields,
      ...{ status: 1, deduplicationKey: 1, hasGivenId: 1, hasWaiters: 1 },
      ...{ limitKeyId: 1, turnAt: 1 },
    },
  });

/**
 * The jobs outside the trees that wait for a sequence in them. The ends of awaited sequences, and of the
 * `others`, are declared to waiters first.
 */
export const findWaitingOutside = async (
  db: Database,
  scope: Scope,
  tree: readonly JobDocument[],
  others: readonly JobDocument[] = [],
): Promise<BlockerEdge[]> => {
  const sequenceIds = new Set(tree.map(sequenceIdOf));
  const declared = [...tree.filter(({ hasWaiters }) => hasWaiters), ...others];
  await agreeToEnd(db, scope, [...new Set(declared.map(sequenceIdOf))]);
  const rootIds = new Set(tree.map(rootSequenceIdOf));
  const waiting = await db.jobs.find(
    scope,
    { blockers: { $in: [...sequenceIds] }, status: { $nin: ["completed", "cancelled"] } },
    { projection: { sequenceId: 1, rootSequenceId: 1, blockers: 1, status: 1 } },
  );
  return waiting
    .filter((job) => !rootIds.has(rootSequenceIdOf(job)))
    .flatMap(toBlockerEdges)
    .filter((edge) => sequenceIds.has(edge.blockerSequenceId));
};

/** Deletes the jobs, and the lines that they logged. */
export const deleteTrees = async (
  db: Database,
  scope: Scope,
  tree: readonly JobDocument[],
): Promise<number> => {
  const { jobs, logs, progress } = db;
  // The ends of their attempts are turns of their keys, which would go with them.
  await leaveTurns(
    db,
    scope,
    tree.flatMap(({ limitKeyId, turnAt, typeName }) =>
      limitKeyId === undefined || turnAt === undefined ? [] : [[limitKeyId, typeName] as const],
    ),
  );
  const ids = tree.map(({ _id }) => _id);
  await logs.deleteMany(scope, { jobId: { $in: ids } });
  await progress.deleteMany(scope, { _id: { $in: ids } });
  return jobs.deleteMany(scope, { _id: { $in: ids } });
};
