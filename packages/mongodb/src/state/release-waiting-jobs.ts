// Step 7b of the walk: sequences have ended, and who waited for the last of its blockers runs. Runs in the
// transaction that ends them. Two that end two blockers of one job at the same instant both write that job: the second
// conflicts, runs again, and sees the first.
import type { UnblockedJob } from "queuert/internal";
import { announceEnding } from "../announcements.ts";
import type { Database } from "../database.ts";
import { referenceFields, toReference } from "../job-document.ts";
import type { Scope } from "../store.ts";
import { createToken } from "../token.ts";

export const releaseWaitingJobs = async (
  db: Database,
  scope: Scope,
  endedSequenceIds: readonly string[],
): Promise<readonly UnblockedJob[]> => {
  if (endedSequenceIds.length === 0) return [];
  const ended = [...new Set(endedSequenceIds)];
  await announceEnding(db, scope, ended);
  const waiting = await db.jobs.find(
    scope,
    // `blockers` is indexed, `openBlockers` is right: a job waits for a sequence only once.
    { blockers: { $in: ended }, openBlockers: { $in: ended } },
    { projection: { ...referenceFields, status: 1, openBlockers: 1 } },
  );
  if (waiting.length === 0) return [];
  const stillOpen = { $setDifference: ["$openBlockers", { $literal: ended }] };
  const isFree = { $and: [{ $eq: ["$status", "blocked"] }, { $eq: ["$openBlockers", []] }] };
  await db.jobs.updateMany(scope, { _id: { $in: waiting.map(({ _id }) => _id) } }, [
    { $set: { openBlockers: stillOpen, token: createToken() } },
    { $set: { status: { $cond: [isFree, "pending", "$status"] } } },
  ]);
  return waiting.flatMap((job) => {
    const open = new Set(job.openBlockers);
    const last = ended.findLast((id) => open.delete(id));
    for (const id of ended) open.delete(id);
    const isReleased = job.status === "blocked" && open.size === 0 && last !== undefined;
    return isReleased ? [{ ...toReference(job), unblockedBySequenceId: last }] : [];
  });
};
