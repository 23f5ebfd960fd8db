// The fate of those who wait for a sequence that has failed, and do not want to wait on: they fail too, and theirs in
// turn. Runs in the transaction in which the sequence fails.
import { blockerFailedError, type StateJobReference } from "queuert/internal";
import { announceEnding } from "../announcements.ts";
import type { Database } from "../database.ts";
import { referenceFields, sequenceIdOf, toReference } from "../job-document.ts";
import type { Scope, UpdateOne } from "../store.ts";
import { createToken } from "../token.ts";
import { leaseFields } from "./completion.ts";

export interface FailedDependant extends StateJobReference {
  readonly error: string;
}

/** One round of two commands for each level of the tree, however wide it is. */
export const failDependants = async (
  db: Database,
  scope: Scope,
  failedSequenceIds: readonly string[],
): Promise<readonly FailedDependant[]> => {
  const dependants: FailedDependant[] = [];
  let failed = [...new Set(failedSequenceIds)];
  while (failed.length > 0) {
    await announceEnding(db, scope, failed);
    const waiting = await db.jobs.find(
      scope,
      {
        blockers: { $in: failed },
        openBlockers: { $in: failed },
        status: "blocked",
        onBlockerFailure: "fail",
      },
      { projection: { ...referenceFields, openBlockers: 1, hasWaiters: 1 } },
    );
    waiting.sort((a, b) => (a._id < b._id ? -1 : 1));
    if (waiting.length === 0) break;
    const causes = new Set(failed);
    const level = waiting.map((job): FailedDependant => {
      const cause = job.openBlockers?.find((id) => causes.has(id)) ?? "";
      return { ...toReference(job), error: blockerFailedError(cause) };
    });
    await db.jobs.bulkUpdate(scope, level.map(toFailure));
    dependants.push(...level);
    failed = waiting.filter((job) => job.hasWaiters).map(sequenceIdOf);
  }
  return dependants;
};

const toFailure = ({ id, error }: FailedDependant): UpdateOne => ({
  updateOne: {
    filter: { _id: id, status: "blocked" },
    update: {
      $set: { status: "failed", lastAttemptError: error, token: createToken() },
      $currentDate: { finishedAt: true },
      $unset: leaseFields,
    },
  },
});
