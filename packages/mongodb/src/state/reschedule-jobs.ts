// ↺ Running jobs go back to pending: failed with attempts left, rescheduled by the handler, or handed back.
import {
  attemptError,
  type RescheduleJobsParams,
  type RescheduleResult,
  type StateAdapter,
} from "queuert/internal";
import { withAttempt } from "../attempts.ts";
import type { Database } from "../database.ts";
import { createStamp, dueExpression, leaseFields, toLeaseLostReason } from "../job-document.ts";

import type { UpdateOne } from "../store.ts";

type RescheduleJobs = StateAdapter<object, object, string>["rescheduleJobs"];
type Element = RescheduleJobsParams<object>["jobs"][number];

export const rescheduleJobs =
  (db: Database): RescheduleJobs =>
  async ({ context, jobs }) => {
    if (jobs.length === 0) return [];
    const scope = db.writeScopeOf(context);
    const stamp = createStamp();
    const sorted = [...jobs].sort((a, b) => (a.jobId < b.jobId ? -1 : 1));
    await db.jobs.bulkUpdate(
      scope,
      sorted.map((element) => toUpdate(element, stamp)),
    );
    const found = await db.jobs.find(
      scope,
      { _id: { $in: jobs.map(({ jobId }) => jobId) } },
      { projection: { status: 1, stamp: 1, scheduledAt: 1 } },
    );
    const byId = new Map(found.map((document) => [document._id, document]));
    const seen = new Set<string>();
    return jobs.map(({ jobId }): RescheduleResult => {
      const job = byId.get(jobId);
      const isFirst = !seen.has(jobId);
      seen.add(jobId);
      if (isFirst && job?.stamp === stamp) {
        return { kind: "rescheduled", scheduledAt: job.scheduledAt };
      }
      return { kind: "lost", reason: toLeaseLostReason(job) };
    });
  };

const toUpdate = (
  { jobId, leaseVersion, schedule, countsAttempt, error }: Element,
  stamp: string,
): UpdateOne => ({
  updateOne: {
    filter: { _id: jobId, status: "running", leaseVersion },
    update: [
      {
        $set: {
          status: "pending",
          stamp,
          ...(schedule !== null && { scheduledAt: dueExpression(schedule) }),
          ...(!countsAttempt && { attempt: { $max: [0, { $subtract: ["$attempt", 1] }] } }),
          ...(error !== null && {
            lastAttemptError: { $literal: error },
            attempts: withAttempt({
              outcome: "retried",
              error: { $literal: attemptError(error) },
              nextAt: schedule === null ? "$scheduledAt" : dueExpression(schedule),
            }),
          }),
        },
      },
      { $unset: Object.keys(leaseFields) },
    ],
  },
});
