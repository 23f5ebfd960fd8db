// How completions are written, and the result of an element that was not written.
import type { CompletionResult, JobCompletion } from "queuert/internal";
import type { Database } from "../database.ts";
import {
  heldUnder,
  type JobDocument,
  leaseFields,
  toLeaseLostReason,
  valueById,
} from "../job-document.ts";

import type { Scope } from "../store.ts";

export interface CompletionBatch {
  readonly workerId: string | null;
  readonly completions: readonly JobCompletion[];
  readonly stamp: string;
}

/** The fields of a job that show the effect of a batch. */
export type Settled = Pick<
  JobDocument,
  "_id" | "status" | "completedByLease" | "stamp" | "finishedAt" | "hasWaiters" | "sequenceId"
>;

const settledFields = {
  status: 1,
  completedByLease: 1,
  stamp: 1,
  finishedAt: 1,
  hasWaiters: 1,
  sequenceId: 1,
} as const;

export const readSettled = async (
  { jobs }: Database,
  scope: Scope,
  elements: readonly { readonly jobId: string }[],
): Promise<Map<string, Settled>> => {
  const ids = elements.map(({ jobId }) => jobId);
  const found = await jobs.find(scope, { _id: { $in: ids } }, { projection: settledFields });
  return new Map(found.map((document) => [document._id, document]));
};

type NextIdOf = (completion: JobCompletion) => string | undefined;

/** Writes the completions whose lease is held, in one order. Returns all of the jobs as they are then. */
export const writeCompletions = async (
  db: Database,
  scope: Scope,
  batch: CompletionBatch,
  condition: object,
  nextIdOf: NextIdOf = () => undefined,
): Promise<Map<string, Settled>> => {
  const { completions } = batch;
  const [only, second] = completions;
  if (only !== undefined && second === undefined) {
    const { filter, update } = toUpdate(only, batch, condition, nextIdOf(only));
    const job = await db.jobs.findOneAndUpdate(scope, filter, update, {
      projection: settledFields,
    });
    if (job !== null) return new Map([[job._id, job]]);
  } else if (isUniform(completions)) {
    const filter = { ...heldUnder(completions), ...condition };
    await db.jobs.updateMany(scope, filter, toSharedUpdate(completions, batch, nextIdOf));
  } else {
    const sorted = [...completions].sort((a, b) => (a.jobId < b.jobId ? -1 : 1));
    const updates = sorted.map((each) => ({
      updateOne: toUpdate(each, batch, condition, nextIdOf(each)),
    }));
    await db.jobs.bulkUpdate(scope, updates);
  }
  return readSettled(db, scope, completions);
};

type LeasedCompletion = JobCompletion & { readonly leaseVersion: number };

// The most that one update carries for all its documents. Above it each document is a statement, and the
// driver splits the statements into messages.
const sharedOutputLengthMax = 4_000_000;

/** Whether one update is enough: each job once, each under a lease. */
const isUniform = (
  completions: readonly JobCompletion[],
): completions is readonly LeasedCompletion[] => {
  let length = 0;
  for (const { outcome } of completions)
    if (outcome.kind === "output") length += outcome.output.length;
  return (
    length <= sharedOutputLengthMax &&
    completions.every(({ leaseVersion }) => leaseVersion !== null) &&
    new Set(completions.map(({ jobId }) => jobId)).size === completions.length
  );
};

const toSharedUpdate = (
  completions: readonly LeasedCompletion[],
  { workerId, stamp }: CompletionBatch,
  nextIdOf: NextIdOf,
): object[] => {
  const ids = completions.map(({ jobId }) => jobId);
  const outputs = completions.map(({ outcome }) =>
    outcome.kind === "output" ? outcome.output : null,
  );
  const nextIds = completions.map((completion) => nextIdOf(completion) ?? null);
  const set = {
    status: "completed",
    stamp,
    finishedAt: "$$NOW",
    completedByLease: "$leaseVersion",
    ...(workerId !== null && { completedBy: { $literal: workerId } }),
    ...(outputs.some((output) => output !== null) && { output: valueById(ids, outputs) }),
    ...(nextIds.some((id) => id !== null) && { continuedToId: valueById(ids, nextIds) }),
  };
  return [{ $set: set }, { $unset: [...Object.keys(leaseFields), "openBlockers"] }];
};

const unfinished = { $in: ["blocked", "pending", "running"] } as const;

const toUpdate = (
  { jobId, leaseVersion, outcome }: JobCompletion,
  { workerId, stamp }: CompletionBatch,
  condition: object,
  continuedToId: string | undefined,
): { readonly filter: object; readonly update: object } => {
  const held = leaseVersion === null ? { status: unfinished } : { status: "running", leaseVersion };
  return {
    filter: { _id: jobId, ...held, ...condition },
    update: {
      $set: {
        status: "completed",
        stamp,
        ...(outcome.kind === "output" && { output: outcome.output }),
        ...(continuedToId !== undefined && { continuedToId }),
        ...(workerId !== null && { completedBy: workerId }),
        ...(leaseVersion !== null && { completedByLease: leaseVersion }),
      },
      $currentDate: { finishedAt: true },
      $unset: { ...leaseFields, openBlockers: 1 },
    },
  };
};

export type Written = Settled & { readonly finishedAt: Date };

/** The elements that this batch has written: of two for one job the first. */
export const toWon = (
  { completions, stamp }: CompletionBatch,
  jobs: ReadonlyMap<string, Settled>,
): Map<JobCompletion, Written> => {
  const seen = new Set<string>();
  const won = new Map<JobCompletion, Written>();
  for (const completion of completions) {
    const job = jobs.get(completion.jobId);
    if (seen.has(completion.jobId) || job?.stamp !== stamp || job.finishedAt === undefined)
      continue;
    if (completion.leaseVersion !== null && job.completedByLease !== completion.leaseVersion)
      continue;
    seen.add(completion.jobId);
    won.set(completion, { ...job, finishedAt: job.finishedAt });
  }
  return won;
};

/** The result of an element that was not written, from the job as it is. */
export const unwrittenResult = (
  { leaseVersion }: JobCompletion,
  job: Settled | undefined,
): CompletionResult => ({
  kind: "lost",
  reason: toLeaseLostReason(job),
  storedByThisLease: leaseVersion !== null && job?.completedByLease === leaseVersion,
});
