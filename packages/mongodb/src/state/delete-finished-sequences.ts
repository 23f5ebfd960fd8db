// Retention. Finished jobs are read from the oldest on, a page at a time. Their trees are deleted if the
// whole tree is old enough. Each batch is one transaction, which checks that again.
import type { DeleteFinishedParams, StateAdapter } from "queuert/internal";
import { removeFromKeys } from "../agreement/key-proposals.ts";
import type { Database } from "../database.ts";
import { type JobDocument, rootSequenceIdOf, sequenceIdOf } from "../job-document.ts";
import { outside, type Scope } from "../store.ts";
import { deleteTrees, findWaitingOutside, readTrees } from "./delete-sequences.ts";

type DeleteFinished = StateAdapter<object, object, string>["deleteFinishedSequences"];
type Candidate = Pick<JobDocument, "_id" | "rootSequenceId"> & { readonly finishedAt: Date };

const pageSizeMin = 500;
// If nothing of a page can be deleted, the next is larger: one unfinished tree may have many finished jobs.
const pageSizeMax = 8_000;

export const deleteFinishedSequences = (db: Database): DeleteFinished => {
  // Where the last call stopped at its limit. The caller makes the next call at once, which then does not
  // read the jobs again that were kept.
  let stoppedAt: Candidate | undefined;
  return async (params) => {
    if (agedStatuses(params).length === 0) return 0;
    const pass: RetentionPass = { room: params.limit, deleted: 0, checked: new Set() };
    const start = stoppedAt;
    let reached = await walk(db, params, pass, start);
    // A call that reports no more trees has read all finished jobs.
    if (pass.room > 0 && start !== undefined) reached = await walk(db, params, pass, undefined);
    stoppedAt = pass.room > 0 ? undefined : reached;
    return pass.deleted;
  };
};

interface RetentionPass {
  room: number;
  deleted: number;
  /** The ids of roots. */
  readonly checked: Set<string>;
}

/** To the end, or until there is no more room. Returns the last job that was passed. */
const walk = async (
  db: Database,
  params: DeleteFinishedParams,
  pass: RetentionPass,
  start: Candidate | undefined,
): Promise<Candidate | undefined> => {
  let after = start;
  for (let pageSize = pageSizeMin; pass.room > 0;) {
    const candidates = await readPage(db, params, after, pageSize);
    const fresh = [...new Set(candidates.map(rootSequenceIdOf))].filter(
      (id) => !pass.checked.has(id),
    );
    const kept = await findKept(db, outside, params, fresh);
    const old = fresh.filter((id) => !kept.has(id));
    pageSize = old.length > 0 ? pageSizeMin : Math.min(pageSize * 2, pageSizeMax);
    while (old.length > 0 && pass.room > 0) {
      const some = old.splice(0, pass.room);
      const removed = await db.transact(undefined, (scope) =>
        deleteOldTrees(db, scope, params, some),
      );
      await removeFromKeys(db, removed);
      pass.room -= new Set(removed.map(rootSequenceIdOf)).size;
      pass.deleted += removed.length;
    }
    for (const id of fresh) pass.checked.add(id);
    const [left] = old;
    if (left !== undefined) {
      // The next call begins after the job before it.
      const index = candidates.findIndex((each) => rootSequenceIdOf(each) === left);
      return candidates[index - 1] ?? after;
    }
    const last = candidates.at(-1);
    if (last === undefined) break;
    after = last;
  }
  return after;
};

const agedStatuses = ({
  completedForMs,
  failedForMs,
  cancelledForMs,
}: DeleteFinishedParams): object[] => [
  ...(completedForMs === null ? [] : [aged("completed", completedForMs)]),
  ...(failedForMs === null ? [] : [aged("failed", failedForMs)]),
  ...(cancelledForMs === null ? [] : [aged("cancelled", cancelledForMs)]),
];

// "Longer than": a job that has finished in this very millisecond is not older than 0 ms.
const aged = (status: "completed" | "failed" | "cancelled", forMs: number): object => ({
  status,
  finishedAt: { $exists: true },
  $expr: { $lt: ["$finishedAt", { $subtract: ["$$NOW", Math.round(forMs)] }] },
});

const readPage = async (
  { jobs }: Database,
  params: DeleteFinishedParams,
  after: Candidate | undefined,
  pageSize: number,
): Promise<Candidate[]> => {
  const statuses = agedStatuses(params);
  const beyond = after && {
    $or: [
      { finishedAt: { $gt: after.finishedAt } },
      { finishedAt: after.finishedAt, _id: { $gt: after._id } },
    ],
  };
  const pages = await Promise.all(
    statuses.map((status) =>
      jobs.find(
        outside,
        { $and: [status, beyond ?? {}] },
        {
          projection: { rootSequenceId: 1, finishedAt: 1 },
          sort: { finishedAt: 1, _id: 1 },
          limit: pageSize,
          candidates: true,
        },
      ),
    ),
  );
  return pages
    .flat()
    .flatMap(({ _id, rootSequenceId, finishedAt }) =>
      finishedAt === undefined ? [] : [{ _id, rootSequenceId, finishedAt }],
    )
    .sort((a, b) => a.finishedAt.getTime() - b.finishedAt.getTime() || (a._id < b._id ? -1 : 1))
    .slice(0, pageSize);
};

const deleteOldTrees = async (
  db: Database,
  scope: Scope,
  params: DeleteFinishedParams,
  rootIds: readonly string[],
): Promise<readonly JobDocument[]> => {
  const [kept, all] = [
    await findKept(db, scope, params, rootIds),
    await readTrees(db, scope, rootIds),
  ];
  let tree = all.filter((job) => !kept.has(rootSequenceIdOf(job)));
  // Roots that wait for each other are deleted together. A root that stays keeps the roots it waits for.
  for (;;) {
    const edges = await findWaitingOutside(db, scope, tree);
    if (edges.length === 0) break;
    const awaited = new Set(edges.map(({ blockerSequenceId }) => blockerSequenceId));
    const staying = new Set(
      tree.filter((job) => awaited.has(sequenceIdOf(job))).map(rootSequenceIdOf),
    );
    tree = tree.filter((job) => !staying.has(rootSequenceIdOf(job)));
  }
  if (tree.length > 0) await deleteTrees(db, scope, tree);
  return tree;
};

/** The roots of trees with a job that is unfinished, or finished too recently. */
const findKept = async (
  { jobs }: Database,
  scope: Scope,
  params: DeleteFinishedParams,
  rootIds: readonly string[],
): Promise<Set<string>> => {
  if (rootIds.length === 0) return new Set();
  const young = { $nor: agedStatuses(params) };
  const rows = await jobs.aggregate<{ readonly _id: string }>(scope, [
    {
      $match: {
        $or: [
          { _id: { $in: rootIds }, ...young },
          { rootSequenceId: { $in: rootIds }, treeMember: true, ...young },
        ],
      },
    },
    { $group: { _id: { $ifNull: ["$rootSequenceId", "$_id"] } } },
  ]);
  return new Set(rows.map(({ _id }) => _id));
};
