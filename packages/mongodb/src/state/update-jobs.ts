// Jobs that do not run get another input, due time or priority. An acquisition that comes between is a conflict: the caller's
// transaction then starts again.
import type { StateAdapter, UpdateJobsParams, UpdateResult } from "queuert/internal";
import type { Database } from "../database.ts";
import { assertFitsDocument, createStamp, dueExpression, toStateJob } from "../job-document.ts";

import { leaveTurns, placeUnder } from "../limit-keys/move-jobs.ts";
import type { UpdateOne } from "../store.ts";

type Element = UpdateJobsParams<object, string>["jobs"][number];

export const updateJobs =
  (db: Database): StateAdapter<object, object, string>["updateJobs"] =>
  async ({ context, jobs }) => {
    if (jobs.length === 0) return [];
    for (const { input } of jobs) if (input !== null) assertFitsDocument(input);
    return db.transact(context, async (scope) => {
      const results: UpdateResult[] = [];
      // One after the other: an element may name the job of an earlier one.
      for (const element of jobs) {
        const stamp = createStamp();
        await db.jobs.bulkUpdate(scope, [toUpdate(element, stamp)]);
        const [job] = await db.jobs.find(scope, { _id: element.id });
        if (job === undefined) results.push({ kind: "refused", reason: "not_found" });
        else if (job.stamp !== stamp) results.push({ kind: "refused", reason: "not_updatable" });
        else {
          results.push({ kind: "updated", job: toStateJob(job) });
          if (job.movedFrom !== undefined)
            await leaveTurns(db, scope, [[job.movedFrom, job.typeName]]);
        }
      }
      return results;
    });
  };

const toUpdate = (
  { id, input, schedule, priority, dueWithinMs, limitKey }: Element,
  stamp: string,
): UpdateOne => ({
  updateOne: {
    filter: { _id: id, status: { $in: ["pending", "blocked", "failed"] } },
    update: [
      {
        $set: {
          stamp,
          ...(input !== null && { input: { $literal: input } }),
          ...placeUnder(limitKey, priority),
          ...(schedule !== null && {
            scheduledAt: boundedBy(dueWithinMs, dueExpression(schedule)),
          }),
        },
      },
    ],
  },
});

const boundedBy = (dueWithinMs: number | null, dueAt: unknown): unknown =>
  dueWithinMs === null ? dueAt : { $min: [dueAt, { $add: ["$createdAt", dueWithinMs] }] };
