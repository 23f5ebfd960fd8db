// The jobs of a batch that no other transaction has, after a conflict. Each is written alone or with others, and those that cannot
// be written are left out.
import type { Database } from "./database.ts";
import { createStamp, type JobDocument } from "./job-document.ts";
import { skipLocked } from "./skip-locked.ts";
import { outside } from "./store.ts";

/** The ids among the first pending jobs that match. Call it before the transaction, whose snapshot then has these writes. */
export const findFreeJobs = async (
  db: Database,
  match: object,
  sort: Readonly<Record<string, 1 | -1>>,
  limit: number,
): Promise<ReadonlySet<string>> => {
  const pending = { ...match, status: "pending" as const };
  const found = await db.jobs.find(outside, pending, { sort, limit, candidates: true });
  const ids = found.map(({ _id }) => _id);
  const lockStamp = createStamp();
  await skipLocked(db, ids, async (scope, some, options) => {
    const filter = { ...pending, _id: { $in: some } };
    await db.jobs.updateMany(scope, filter, [{ $set: { lockStamp } }], options);
  });
  const free: readonly Pick<JobDocument, "_id">[] = await db.jobs.find(outside, {
    ...{ _id: { $in: ids }, lockStamp },
  });
  return new Set(free.map(({ _id }) => _id));
};
