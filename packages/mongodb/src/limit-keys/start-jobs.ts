// The jobs that a plan starts, and the turns that it has used, in the transaction of the plan.
import type { Database } from "../database.ts";
import { MongoTransactionAbortedError } from "../errors.ts";
import { isDue, isExpired, type JobDocument } from "../job-document.ts";

import type { Scope } from "../store.ts";
import type { KeysLook } from "./look-at-keys.ts";
import type { TurnsPlan } from "./plan-turns.ts";
import type { PlannedKey } from "./planned-key.ts";

export const startJobs = async (
  db: Database,
  scope: Scope,
  { lease, before }: Pick<KeysLook, "lease" | "before">,
  { keys, starts }: TurnsPlan,
  now: Date,
): Promise<readonly JobDocument[]> => {
  const ids = starts.map(({ _id }) => _id);
  const started = new Set(ids);
  if (ids.length > 0) {
    const free = {
      $or: [
        { status: "pending", ...isDue },
        { status: "running", ...isExpired },
      ],
    };
    // Their tokens are counted from the read on, and so are their starts: this write may come late.
    const place = { $add: [before, { $indexOfArray: [{ $literal: ids }, "$_id"] }] };
    const start = {
      ...{ lastAttemptAt: now, leaseLost: "$$REMOVE" },
      // If it ends, its key is in the line again, in the order of the starts.
      ...{ turnAt: "$$NOW", turnPlace: place },
    };
    const update = { ...lease.update, ...start };
    const count = await db.jobs.updateMany(scope, { _id: { $in: ids }, ...free }, [
      { $set: update },
    ]);
    // One was written between the snapshot and the read.
    if (count !== ids.length) throw new MongoTransactionAbortedError("write_conflict");
  }
  await takeLeases(db, scope, keys, started);
  const used = keys.filter(({ held, lookAt }) => lookAt !== "kept" && !held.isCareful);
  const turns = used.flatMap(({ jobs }) => jobs.turns.filter((id) => !started.has(id)));
  if (turns.length > 0) {
    await db.jobs.updateMany(scope, { _id: { $in: turns } }, [{ $set: { turnAt: usedTurn(now) } }]);
  }
  if (ids.length === 0) return [];
  return db.jobs.find(scope, { _id: { $in: ids }, acquisition: lease.stamp });
};

/** A job that was not due when its key was read has its turn when it is due. */
const usedTurn = (now: Date): object => {
  const isScheduled = { $and: [{ $eq: ["$status", "pending"] }, { $gt: ["$scheduledAt", now] }] };
  return { $cond: [isScheduled, "$scheduledAt", "$$REMOVE"] };
};

/**
 * A lease that has expired is no permit. It is marked, because a renewal may be on its way that began before its end. The renewal
 * finds the mark, or this transaction meets the renewal.
 */
const takeLeases = async (
  db: Database,
  scope: Scope,
  keys: readonly PlannedKey[],
  started: ReadonlySet<string>,
): Promise<void> => {
  const ids = keys.flatMap(({ held, jobs }) =>
    held.isCareful || held.bounds.concurrency === null
      ? []
      : jobs.expired.flatMap(({ _id }) => (started.has(_id) ? [] : [_id])),
  );
  if (ids.length === 0) return;
  await db.jobs.updateMany(
    scope,
    { _id: { $in: ids }, status: "running", leaseLost: { $exists: false } },
    { $set: { leaseLost: true } },
  );
};
