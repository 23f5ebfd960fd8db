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

const pageSize = 500;
// Trees that must stay are passed over; a call does not walk further than this past them.
const pagesMax = 20;

export const createDeleteFinishedSequences =
  (db: Database): DeleteFinished =>
  async (params) => {
    if (agedStatuses(params).length === 0) return 0;
    let room = params.limit;
    let deleted = 0;
    let after: Candidate | undefined;
    const looked = new Set<string>();
    for (let page = 0; page < pagesMax && room > 0; page++) {
      const candidates = await readPage(db, params, after);
      const roots = [...new Set(candidates.map(rootSequenceIdOf))];
      const fresh = roots.filter((id) => !looked.has(id));
      for (const id of fresh) looked.add(id);
      const kept = await findKept(db, outside, params, fresh);
      const old = fresh.filter((id) => !kept.has(id));
      while (old.length > 0 && room > 0) {
        const some = old.splice(0, room);
        const swept = await db.transact(undefined, (scope) => sweep(db, scope, params, some));
        await forgetKeys(db, swept);
        room -= new Set(swept.map(rootSequenceIdOf)).size;
        deleted += swept.length;
      }
      after = candidates.at(-1);
      if (candidates.length < pageSize) break;
    }
    return deleted;
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
