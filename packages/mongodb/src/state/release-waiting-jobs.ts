// The effects of the end of a sequence on the jobs that waited for it. Two transactions that end two blockers of one job at the
// same instant both write that job. The second conflicts, runs again, and sees the first.
import type { UnblockedJob } from "queuert/internal";
import { agreeToEnd } from "../agreement/waiter-handshake.ts";
import type { Database } from "../database.ts";
import { createStamp, referenceFields, toReference } from "../job-document.ts";
import type { Scope } from "../store.ts";

/** Sequences have completed: a job that waited for the last of its blockers becomes pending, in their transaction. */
export const releaseWaitingJobs = async (
  db: Database,
  scope: Scope,
  completedSequenceIds: readonly string[],
): Promise<readonly UnblockedJob[]> => {
  if (completedSequenceIds.length === 0) return [];
  const completed = [...new Set(completedSequenceIds)];
  await agreeToEnd(db, scope, completed);
  return release(db, scope, completed, {});
};

/** Sequences have failed or were cancelled, as `agreeToEnd` knows: jobs with `onBlockerFailure: "continue"` go on. */
export const releaseContinuingJobs = (
  db: Database,
  scope: Scope,
  endedSequenceIds: readonly string[],
): Promise<readonly UnblockedJob[]> =>
  release(db, scope, endedSequenceIds, { onBlockerFailure: "continue" });

const release = async (
  db: Database,
  scope: Scope,
  ended: readonly string[],
  condition: object,
): Promise<readonly UnblockedJob[]> => {
  if (ended.length === 0) return [];
  const waiting = await db.jobs.find(
    scope,
    // `blockers` is indexed, `openBlockers` is exact: a job waits for a sequence only once.
    { blockers: { $in: ended }, openBlockers: { $in: ended }, ...condition },
    { projection: { ...referenceFields, status: 1, openBlockers: 1 } },
  );
  if (waiting.length === 0) return [];
  const stillOpen = { $setDifference: ["$openBlockers", { $literal: ended }] };
  const isFree = { $and: [{ $eq: ["$status", "blocked"] }, { $eq: ["$openBlockers", []] }] };
  await db.jobs.updateMany(scope, { _id: { $in: waiting.map(({ _id }) => _id) } }, [
    { $set: { openBlockers: stillOpen, stamp: createStamp() } },
    {
      $set: {
        status: { $cond: [isFree, "pending", "$status"] },
        releasedAt: { $cond: [isFree, "$$NOW", "$releasedAt"] },
      },
    },
  ]);
  return waiting.flatMap((job) => {
    const open = new Set(job.openBlockers);
    const last = ended.findLast((id) => open.delete(id));
    for (const id of ended) open.delete(id);
    const isReleased = job.status === "blocked" && open.size === 0 && last !== undefined;
    return isReleased ? [{ ...toReference(job), unblockedBySequenceId: last }] : [];
  });
};
