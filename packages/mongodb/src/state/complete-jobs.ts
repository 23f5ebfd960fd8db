// Step 6 of the walk: jobs are completed. A job that ends its sequence without waiters is one document. A
// batch of such jobs is one update and one read, without a transaction. All other completions
// (continuations, waiters, the caller's transaction) are one transaction for the whole batch.
//
// A waiter cannot be missed between the two. Before a job waits for a sequence, the sequence's current job
// gets `hasWaiters`, and the short way writes only jobs without it.
import type {
  CompleteJobsResult,
  CompletionResult,
  JobCompletion,
  NewContinuationJob,
  StateAdapter,
} from "queuert/internal";
import { foreignOf, refuseStaleSnapshot } from "../agreement/stale-snapshot.ts";
import type { Database, Repeat } from "../database.ts";
import {
  assertFitsDocument,
  createStamp,
  type JobDocument,
  sequenceIdOf,
  toStateJob,
} from "../job-document.ts";
import { outside, type Scope } from "../store.ts";
import { onlyOnce, toDocuments } from "./create-jobs.ts";
import { releaseWaitingJobs } from "./release-waiting-jobs.ts";
import {
  type CompletionBatch,
  type Settled,
  toWon,
  unwrittenResult,
  writeCompletions,
  type Written,
} from "./write-completions.ts";

type CompleteJobs = StateAdapter<object, object, string>["completeJobs"];
type Results = Map<JobCompletion, CompletionResult>;

export const completeJobs =
  (db: Database, repeat: Repeat): CompleteJobs =>
  async ({ context, workerId, completions }) => {
    if (completions.length === 0) return { results: [], unblocked: [] };
    for (const { outcome } of completions) {
      if (outcome.kind === "output") assertFitsDocument(outcome.output);
    }
    const batch = { workerId, completions, stamp: createStamp() };
    const { session } = db.writeScopeOf(context);
    if (session !== undefined) return completeInTransaction(db, context, batch);
    const short = hasOrder(completions)
      ? []
      : completions.filter(({ outcome }) => outcome.kind === "output");
    // Repeated with the stamp of the first attempt: jobs that it has stored count as this call's.
    const settled = await repeat(() => completeAlone(db, { ...batch, completions: short }));
    const rest = completions.filter((completion) => !settled.has(completion));
    const { results, unblocked } =
      rest.length === 0
        ? { results: [], unblocked: [] }
        : await completeInTransaction(db, undefined, { ...batch, completions: rest });
    rest.forEach((completion, index) => {
      const result = results[index];
      if (result !== undefined) settled.set(completion, result);
    });
    return { results: completions.map((completion) => resultOf(settled, completion)), unblocked };
  };

const resultOf = (settled: Results, completion: JobCompletion): CompletionResult => {
  const result = settled.get(completion);
  if (result === undefined) throw new Error("A completion was neither written nor refused");
  return result;
};

// The short way. The jobs that it leaves open have waiters.
const completeAlone = async (db: Database, batch: CompletionBatch): Promise<Results> => {
  const settled: Results = new Map();
  if (batch.completions.length === 0) return settled;
  const jobs = await writeCompletions(db, outside, batch, { hasWaiters: { $exists: false } });
  const won = toWon(batch, jobs);
  for (const completion of batch.completions) {
    const job = jobs.get(completion.jobId);
    const written = won.get(completion);
    if (written !== undefined) settled.set(completion, toCompleted(written));
    else if (job?.hasWaiters !== true || job.status === "completed") {
      settled.set(completion, unwrittenResult(completion, job));
    }
  }
  return settled;
};

const completeInTransaction = async (
  db: Database,
  context: object | undefined,
  batch: CompletionBatch,
): Promise<CompleteJobsResult> => {
  const continuations = await prepareContinuations(db, batch.completions);
  const groups = hasOrder(batch.completions)
    ? batch.completions.map((completion) => [completion])
    : [batch.completions];
  return db.transact(context, async (scope) => {
    const parts: CompleteJobsResult[] = [];
    for (const completions of groups) {
      const group = { ...batch, completions, stamp: createStamp() };
      parts.push(await completeGroup(db, scope, group, continuations));
    }
    return {
      results: parts.flatMap(({ results }) => results),
      unblocked: parts.flatMap(({ unblocked }) => unblocked),
    };
  });
};

// Without a worker, a job can be completed that another completion of the same call releases. These are
// written one after the other. A running job waits for no other.
const hasOrder = (completions: readonly JobCompletion[]): boolean =>
  completions.length > 1 && completions.some(({ leaseVersion }) => leaseVersion === null);

const completeGroup = async (
  db: Database,
  scope: Scope,
  batch: CompletionBatch,
  continuations: Continuations,
): Promise<CompleteJobsResult> => {
  // A worker has seen its jobs; other callers may have found theirs by a key. Before the write, which counts them as own writes.
  const foundElsewhere = foreignOf(
    db,
    scope,
    batch.completions.flatMap(({ jobId, leaseVersion }) => (leaseVersion === null ? [jobId] : [])),
  );
  const jobs = await writeCompletions(db, scope, batch, {}, continuations.idOf);
  const won = toWon(batch, jobs);
  const unseen = foundElsewhere.filter((jobId) => !jobs.has(jobId));
  await refuseStaleSnapshot(db, scope, unseen);
  await insertContinuations(db, scope, won, continuations);
  const unblocked = await releaseWaitingJobs(db, scope, toEndedSequences(won));
  const results = batch.completions.map((completion): CompletionResult => {
    const job = won.get(completion);
    if (job === undefined) return unwrittenResult(completion, jobs.get(completion.jobId));
    const next = continuations.documentOf(completion);
    return { ...toCompleted(job), continuation: next === undefined ? null : toStateJob(next) };
  });
  return { results, unblocked };
};

const toCompleted = ({
  finishedAt,
}: Written): CompletionResult & { readonly kind: "completed" } => ({
  kind: "completed",
  completedAt: finishedAt,
  continuation: null,
});

const toEndedSequences = (won: ReadonlyMap<JobCompletion, Settled>): readonly string[] =>
  [...won]
    .filter(([{ outcome }, job]) => outcome.kind === "output" && job.hasWaiters === true)
    .map(([, job]) => sequenceIdOf(job));

/** The next job of each completion that continues its sequence. Made once: every attempt stores the same. */
interface Continuations {
  /** Its id, also if it was stored before. */
  idOf(completion: JobCompletion): string | undefined;
  documentOf(completion: JobCompletion): JobDocument | undefined;
}

const prepareContinuations = async (
  db: Database,
  completions: readonly JobCompletion[],
): Promise<Continuations> => {
  const continuing: JobCompletion[] = [];
  const next: NewContinuationJob[] = [];
  for (const completion of completions) {
    if (completion.outcome.kind !== "continuation") continue;
    continuing.push(completion);
    next.push(completion.outcome.job);
  }
  const documents = next.length === 0 ? [] : await toDocuments(db, next);
  const byCompletion = new Map(continuing.map((each, index) => [each, documents[index]]));
  return {
    documentOf: (completion) => byCompletion.get(completion),
    idOf: (completion) =>
      completion.outcome.kind === "continuedTo"
        ? completion.outcome.jobId
        : byCompletion.get(completion)?._id,
  };
};

/** Stores the next jobs. Those that wait for a sequence now wait for its new job. */
const insertContinuations = async (
  { jobs }: Database,
  scope: Scope,
  won: ReadonlyMap<JobCompletion, Settled>,
  continuations: Continuations,
): Promise<void> => {
  const inserted: JobDocument[] = [];
  const storedBefore: string[] = [];
  for (const [completion, { hasWaiters }] of won) {
    const document = continuations.documentOf(completion);
    if (document !== undefined) inserted.push({ ...document, ...(hasWaiters && { hasWaiters }) });
    else if (completion.outcome.kind === "continuedTo" && hasWaiters) {
      storedBefore.push(completion.outcome.jobId);
    }
  }
  if (inserted.length > 0) await onlyOnce(() => jobs.insertMany(scope, inserted));
  if (storedBefore.length > 0) {
    const marked = { hasWaiters: true, stamp: createStamp() };
    await jobs.updateMany(scope, { _id: { $in: storedBefore } }, { $set: marked });
  }
};
