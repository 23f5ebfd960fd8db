// Step 2 of the walk: a job is made to wait. The handshake with the end of a sequence is described in
// `agreement/`. Completed sequences take part in it too: their outputs are wanted, so they must not be
// deleted.
import {
  type AddBlockersParams,
  blockerCancelledError,
  blockerFailedError,
  type StateAdapter,
} from "queuert/internal";
import { foreignOf, refuseStaleSnapshot } from "../agreement/stale-snapshot.ts";
import { agreeToWait } from "../agreement/waiter-handshake.ts";
import type { Database } from "../database.ts";
import {
  clampMs,
  createStamp,
  type JobDocument,
  sequenceIdOf,
  toStateJob,
} from "../job-document.ts";

import type { SequenceDocuments } from "../sequences.ts";
import type { Scope, UpdateOne } from "../store.ts";
import { failDependants, wholeCascade } from "./fail-dependants.ts";

type AddBlockers = StateAdapter<object, object, string>["addBlockers"];
type Element = AddBlockersParams<object>["jobs"][number];

export const addBlockers =
  (db: Database): AddBlockers =>
  async ({ context, jobs }) => {
    if (jobs.length === 0) return [];
    return db.transact(context, async (scope) => {
      const blockerIds = jobs.flatMap(({ blockerSequenceIds }) => blockerSequenceIds);
      const visible = await db.sequences.find(scope, blockerIds);
      const sequences = await agreeToWait(db, scope, visible);
      const plans = jobs.map((element) => plan(element, sequences));
      const missing = plans.flatMap((each) => each.missing);
      // A job that is not the first of its sequence is no sequence in any snapshot.
      await refuseStaleSnapshot(db, scope, foreignOf(db, scope, missing), { position: 0 });
      const waiting = await readJobs(db, scope, jobs);
      const updates = plans.flatMap((each) => toUpdate(each, waiting.get(each.jobId)));
      if (updates.length > 0) await db.jobs.bulkUpdate(scope, updates);
      const written = await readJobs(db, scope, jobs);
      // A continuation that fails at once takes along the jobs that wait for its sequence.
      const failed = [...written.values()].filter(
        ({ _id, status, hasWaiters }) =>
          hasWaiters && status === "failed" && waiting.get(_id)?.status === "blocked",
      );
      await failDependants(db, scope, failed.map(sequenceIdOf), wholeCascade);
      return plans.map(({ jobId, missing }) => {
        const job = written.get(jobId);
        if (job === undefined)
          throw new TypeError(`Job ${jobId} to wait for blockers is not stored`);
        return { job: toStateJob(job), missing };
      });
    });
  };

interface Plan {
  readonly jobId: string;
  readonly waitAtMostMs: number | undefined;
  readonly blockers: readonly string[];
  readonly missing: readonly string[];
  /** The distinct sequences that have not completed. */
  readonly open: readonly string[];
  /** Those of them that have not ended at all. */
  readonly unfinished: readonly string[];
  readonly failed: string | undefined;
  readonly cancelled: string | undefined;
}

const plan = (
  { jobId, blockerSequenceIds, waitAtMostMs }: Element,
  sequences: ReadonlyMap<string, SequenceDocuments>,
): Plan => {
  const distinct = [...new Set(blockerSequenceIds)];
  const missing = distinct.filter((id) => !sequences.has(id));
  if (missing.length > 0) {
    return {
      ...{ jobId, waitAtMostMs, blockers: [], missing, open: [], unfinished: [] },
      failed: undefined,
      cancelled: undefined,
    };
  }
  const open = distinct.filter((id) => sequences.get(id)?.current.status !== "completed");
  const unfinished = open.filter((id) => !hasEnded(sequences.get(id)?.current.status));
  return {
    jobId,
    waitAtMostMs,
    blockers: blockerSequenceIds,
    missing,
    open,
    unfinished,
    failed: open.find((id) => sequences.get(id)?.current.status === "failed"),
    cancelled: open.find((id) => sequences.get(id)?.current.status === "cancelled"),
  };
};

const hasEnded = (status: string | undefined): boolean =>
  status === "failed" || status === "cancelled";

const readJobs = async (
  { jobs }: Database,
  scope: Scope,
  elements: readonly Element[],
): Promise<Map<string, JobDocument>> => {
  const found = await jobs.find(scope, { _id: { $in: elements.map(({ jobId }) => jobId) } });
  return new Map(found.map((document) => [document._id, document]));
};

const toUpdate = (each: Plan, job: JobDocument | undefined): readonly UpdateOne[] => {
  if (job === undefined || each.missing.length > 0 || job.status !== "blocked") return [];
  const error = errorOf(each, job);
  const open = job.onBlockerFailure === "continue" ? each.unfinished : each.open;
  const openBlockers = [...new Set([...(job.openBlockers ?? []), ...open])];
  const status = openBlockers.length === 0 ? "pending" : "blocked";
  const set = {
    blockers: [...(job.blockers ?? []), ...each.blockers],
    openBlockers,
    ...(each.waitAtMostMs !== undefined && {
      blockedUntil: new Date(job.createdAt.getTime() + clampMs(each.waitAtMostMs)),
    }),
    stamp: createStamp(),
    ...(error === undefined ? { status } : { status: "failed", lastAttemptError: error }),
  };
  const isOver = error !== undefined;
  const update = { $set: set, ...(isOver && { $currentDate: { finishedAt: true } }) };
  return [{ updateOne: { filter: { _id: each.jobId, status: "blocked" }, update } }];
};

/** A cancelled blocker never completes. A failed one may be retried, so the job decides. */
const errorOf = (
  { cancelled, failed }: Plan,
  { onBlockerFailure }: JobDocument,
): string | undefined => {
  if (onBlockerFailure === "continue") return undefined;
  if (cancelled !== undefined) return blockerCancelledError(cancelled);
  return failed !== undefined && onBlockerFailure === "fail"
    ? blockerFailedError(failed)
    : undefined;
};
