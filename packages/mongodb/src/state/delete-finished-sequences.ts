// Retention. Finished jobs are walked from the oldest on, a page at a time, and the trees they belong to are deleted where
// the whole tree is old enough; each batch is one transaction, in which that is checked again.
import type { FinishedSweepParams, StateAdapter } from "queuert/internal";
import type { Database } from "../database.ts";
import { type JobDocument, rootSequenceIdOf, sequenceIdOf } from "../job-document.ts";
import { outside, type Scope } from "../store.ts";
import { forgetKeys } from "./forget-keys.ts";
import { deleteTrees, findWaitingOutside, readTrees } from "./delete-sequences.ts";

type DeleteFinished = StateAdapter<object, object, string>["deleteFinishedSequences"];
type Candidate = Pick<JobDocument, "_id" | "rootSequenceId"> & { readonly finishedAt: Date };

const pageSizeMin = 500;
// Where nothing of a page may go, the next is larger: of one sequence without an end there may be any number.
const pageSizeMax = 8_000;

export const createDeleteFinishedSequences = (db: Database): DeleteFinished => {
  // Where the last call has stopped, having deleted as many as it might: those it has passed over are not walked past again
  // by the next, which a caller makes at once.
  let stoppedAt: Candidate | undefined;
  return async (params) => {
    if (agedStatuses(params).length === 0) return 0;
    const sweeping: Sweeping = { room: params.limit, deleted: 0, looked: new Set() };
    const start = stoppedAt;
    let reached = await walk(db, params, sweeping, start);
    // All the same each call has looked at everything when it says that there is no more.
    if (sweeping.room > 0 && start !== undefined)
      reached = await walk(db, params, sweeping, undefined);
    stoppedAt = sweeping.room > 0 ? undefined : reached;
    return sweeping.deleted;
  };
};

interface Sweeping {
  room: number;
  deleted: number;
  /** Roots. */
  readonly looked: Set<string>;
}

/** To the end, or until there is no more room; answers the last one that it has passed. */
const walk = async (
  db: Database,
  params: FinishedSweepParams,
  sweeping: Sweeping,
  start: Candidate | undefined,
): Promise<Candidate | undefined> => {
  let after = start;
  for (let pageSize = pageSizeMin; sweeping.room > 0;) {
    const candidates = await readPage(db, params, after, pageSize);
    const fresh = [...new Set(candidates.map(rootSequenceIdOf))].filter(
      (id) => !sweeping.looked.has(id),
    );
    const kept = await findKept(db, outside, params, fresh);
    const old = fresh.filter((id) => !kept.has(id));
    pageSize = old.length > 0 ? pageSizeMin : Math.min(pageSize * 2, pageSizeMax);
    while (old.length > 0 && sweeping.room > 0) {
      const some = old.splice(0, sweeping.room);
      const swept = await db.transact(undefined, (scope) => sweep(db, scope, params, some));
      await forgetKeys(db, swept);
      sweeping.room -= new Set(swept.map(rootSequenceIdOf)).size;
      sweeping.deleted += swept.length;
    }
    for (const id of fresh) sweeping.looked.add(id);
    const [left] = old;
    if (left !== undefined) {
      // For the next call, which begins behind the one before it.
      const index = candidates.findIndex((each) => rootSequenceIdOf(each) === left);
      return candidates[index - 1] ?? after;
    }
    const last = candidates.at(-1);
    if (last === undefined) break;
    after = last;
  }
  return after;
};

const agedStatuses = ({ completedForMs, failedForMs }: FinishedSweepParams): object[] => [
  ...(completedForMs === null ? [] : [aged("completed", completedForMs)]),
  ...(failedForMs === null ? [] : [aged("failed", failedForMs)]),
];

// "Longer than": a job that has finished in this very millisecond is not older than 0 ms.
const aged = (status: "completed" | "failed", forMs: number): object => ({
  status,
  finishedAt: { $exists: true },
  $expr: { $lt: ["$finishedAt", { $subtract: ["$$NOW", Math.round(forMs)] }] },
});

const readPage = async (
  { jobs }: Database,
  params: FinishedSweepParams,
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

const sweep = async (
  db: Database,
  scope: Scope,
  params: FinishedSweepParams,
  rootIds: readonly string[],
): Promise<readonly JobDocument[]> => {
  const [kept, all] = [
    await findKept(db, scope, params, rootIds),
    await readTrees(db, scope, rootIds),
  ];
  let tree = all.filter((job) => !kept.has(rootSequenceIdOf(job)));
  // Roots that wait for each other go together; one that stays makes those it waits for stay, too.
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

/** The roots of trees in which a job is not finished, or not for long enough. */
const findKept = async (
  { jobs }: Database,
  scope: Scope,
  params: FinishedSweepParams,
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
