// ↺ Running jobs go back to pending: failed with attempts left, rescheduled by the handler, or handed back.
import type { RescheduleJobsParams, RescheduleResult, StateAdapter } from "queuert/internal";
import type { Database, Repeat } from "../database.ts";
import { failedAttempts, together, valueOf } from "../end-attempts.ts";
import {
  clampMs,
  createStamp,
  heldUnder,
  leaseFields,
  toLeaseLostReason,
} from "../job-document.ts";

type RescheduleJobs = StateAdapter<object, object, string>["rescheduleJobs"];
type Element = RescheduleJobsParams<object>["jobs"][number];

export const rescheduleJobs =
  (db: Database, repeat: Repeat): RescheduleJobs =>
  async ({ context, jobs }) => {
    if (jobs.length === 0) return [];
    const scope = db.writeScopeOf(context);
    const stamp = createStamp();
    const write = async (): Promise<void> => {
      for (const some of together(jobs).flatMap(alike)) {
        await db.jobs.updateMany(scope, heldUnder(some), toUpdate(some, stamp));
      }
    };
    // The driver repeats no update of several jobs. Those that a first attempt has stored count as this call's.
    await (scope.session === undefined ? repeat(write) : write());
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

/** Those that one update can write: the fields that they change are the same. */
const kindOf = ({ schedule, countsAttempt, error }: Element): string => {
  const due = schedule === null ? "kept" : schedule.at === undefined ? "after" : "at";
  return JSON.stringify([due, countsAttempt, error === null]);
};

const alike = (jobs: readonly Element[]): readonly (readonly Element[])[] => {
  const kinds = new Map<string, Element[]>();
  for (const job of jobs) {
    const kind = kindOf(job);
    const known = kinds.get(kind);
    if (known === undefined) kinds.set(kind, [job]);
    else known.push(job);
  }
  return [...kinds.values()];
};

const dueOf = (jobs: readonly Element[]): object | null => {
  const [first] = jobs;
  if (first === undefined || first.schedule === null) return null;
  if (first.schedule.at !== undefined) return valueOf(jobs, ({ schedule }) => schedule?.at);
  return {
    $add: ["$$NOW", valueOf(jobs, ({ schedule }) => clampMs(schedule?.afterMs ?? 0))],
  };
};

const isFailed = (job: Element): job is Element & { readonly error: string } => job.error !== null;

const toUpdate = (jobs: readonly Element[], stamp: string): object[] => {
  const due = dueOf(jobs);
  const isCounted = jobs.every(({ countsAttempt }) => countsAttempt);
  const set = {
    ...{ status: "pending", stamp },
    ...(due !== null && { scheduledAt: due }),
    ...(!isCounted && {
      attempt: { $max: [0, { $subtract: ["$attempt", 1] }] },
    }),
    ...(jobs.every(isFailed) && failedAttempts(jobs, "retried", due ?? "$scheduledAt")),
  };
  return [{ $set: set }, { $unset: Object.keys(leaseFields) }];
};
