// How completions are written, and what an element that was not is answered.
import type { CompletionResult, JobCompletion } from "queuert/internal";
import { heldUnder, valueById } from "../by-id.ts";
import type { Database } from "../database.ts";
import type { JobDocument } from "../job-document.ts";
import { toLeaseLostReason } from "../lease-lost.ts";
import type { Scope } from "../store.ts";
import type { ContinuationDocuments } from "./continue-sequences.ts";

export interface CompletionBatch {
  readonly workerId: string | null;
  readonly completions: readonly JobCompletion[];
  readonly token: string;
}

/** The fields of a job that tell what a batch has done to it. */
export type Settled = Pick<
  JobDocument,
  "_id" | "status" | "completedByLease" | "token" | "finishedAt" | "hasWaiters" | "sequenceId"
>;

const settledFields = {
  status: 1,
  completedByLease: 1,
  token: 1,
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

/** Nothing of a lease outlives it, and a finished job waits for nobody. */
export const leaseFields = { leasedBy: 1, leasedUntil: 1, reclaimedFrom: 1 } as const;

/** Writes what may be written, in one order, and answers what all of the jobs are then. */
export const writeCompletions = async (
  db: Database,
  scope: Scope,
  batch: CompletionBatch,
  condition: object,
  continuations?: ContinuationDocuments,
): Promise<Map<string, Settled>> => {
  const { completions } = batch;
  const idOf = (completion: JobCompletion): string | undefined => continuations?.idOf(completion);
  const [only, second] = completions;
  if (only !== undefined && second === undefined) {
    const { filter, update } = toUpdate(only, batch, condition, idOf(only));
    const job = await db.jobs.findOneAndUpdate(scope, filter, update, {
      projection: settledFields,
    });
    if (job !== null) return new Map([[job._id, job]]);
  } else if (isUniform(completions)) {
    const filter = { ...heldUnder(completions), ...condition };
    await db.jobs.updateMany(scope, filter, toSharedUpdate(completions, batch, idOf));
  } else {
    const sorted = [...completions].sort((a, b) => (a.jobId < b.jobId ? -1 : 1));
    const updates = sorted.map((each) => ({
      updateOne: toUpdate(each, batch, condition, idOf(each)),
    }));
    await db.jobs.bulkUpdate(scope, updates);
  }
  return readSettled(db, scope, completions);
};

type LeasedCompletion = JobCompletion & { readonly leaseVersion: number };

// What one update carries for all its documents; more is sent as a statement each, which the driver splits.
const sharedOutputLengthMax = 4_000_000;

/** Whether one update can do it: each job once, each under a lease. */
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
  { workerId, token }: CompletionBatch,
  idOf: (completion: JobCompletion) => string | undefined,
): object[] => {
  const ids = completions.map(({ jobId }) => jobId);
  const outputs = completions.map(({ outcome }) =>
    outcome.kind === "output" ? outcome.output : null,
  );
  const nextIds = completions.map((completion) => idOf(completion) ?? null);
  const set = {
    status: "completed",
    token,
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
  { workerId, token }: CompletionBatch,
  condition: object,
  continuedToId: string | undefined,
): { readonly filter: object; readonly update: object } => {
  const held = leaseVersion === null ? { status: unfinished } : { status: "running", leaseVersion };
  return {
    filter: { _id: jobId, ...held, ...condition },
    update: {
      $set: {
        status: "completed",
        token,
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

export const describeUnwritten = (
  { leaseVersion }: JobCompletion,
  job: Settled | undefined,
): CompletionResult => ({
  kind: "lost",
  reason: toLeaseLostReason(job),
  storedByThisLease: leaseVersion !== null && job?.completedByLease === leaseVersion,
});
