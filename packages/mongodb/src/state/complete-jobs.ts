// Step 6 of the walk: jobs are completed. A job that ends its sequence with nobody waiting concerns one document, and a
// batch of such is one command and a look, without a transaction. Everything else (continuations, waiting jobs, a
// transaction of the caller's) takes one transaction for the whole batch.
//
// The two cannot miss each other: whoever starts to wait for a sequence writes its current job in a transaction
// (`hasWaiters`), and the short way writes that job only while nobody has.
import type {
  CompleteJobsResult,
  CompletionResult,
  JobCompletion,
  StateAdapter,
} from "queuert/internal";
import type { Database, Repeat } from "../database.ts";
import { sequenceIdOf } from "../job-document.ts";
import { outside, type Scope } from "../store.ts";
import { createToken } from "../token.ts";
import {
  type CompletionBatch,
  describeUnwritten,
  type Settled,
  writeCompletions,
} from "./completion.ts";
import {
  type ContinuationDocuments,
  insertContinuations,
  prepareContinuations,
} from "./continue-sequences.ts";
import { releaseWaitingJobs } from "./release-waiting-jobs.ts";

type CompleteJobs = StateAdapter<object, object, string>["completeJobs"];
type Results = Map<JobCompletion, CompletionResult>;

export const createCompleteJobs =
  (db: Database, repeat: Repeat): CompleteJobs =>
  async ({ context, workerId, completions }) => {
    if (completions.length === 0) return { results: [], unblocked: [] };
    const batch = { workerId, completions, token: createToken() };
    const { session } = db.scopeOf(context);
    if (session !== undefined) return completeInTransaction(db, context, batch);
    const short = hasOrder(completions)
      ? []
      : completions.filter(({ outcome }) => outcome.kind === "output");
    // Repeated with the token of its first try: what that has stored is known as this call's.
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

// The short way. What it leaves open has somebody waiting.
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
      settled.set(completion, describeUnwritten(completion, job));
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
      const group = { ...batch, completions, token: createToken() };
      parts.push(await completeGroup(db, scope, group, continuations));
    }
    return {
      results: parts.flatMap(({ results }) => results),
      unblocked: parts.flatMap(({ unblocked }) => unblocked),
    };
  });
};

// Without a worker, a job may be completed that another of the same call releases: then one comes after the other. What
// is running waits for nobody.
const hasOrder = (completions: readonly JobCompletion[]): boolean =>
  completions.length > 1 && completions.some(({ leaseVersion }) => leaseVersion === null);

const completeGroup = async (
  db: Database,
  scope: Scope,
  batch: CompletionBatch,
  continuations: ContinuationDocuments,
): Promise<CompleteJobsResult> => {
  const jobs = await writeCompletions(db, scope, batch, {}, continuations);
  const won = toWon(batch, jobs);
  await insertContinuations(db, scope, won, continuations);
  const unblocked = await releaseWaitingJobs(db, scope, toEndedSequences(won));
  const results = batch.completions.map((completion): CompletionResult => {
    const job = won.get(completion);
    return job === undefined
      ? describeUnwritten(completion, jobs.get(completion.jobId))
      : { ...toCompleted(job), continuation: continuations.stateJobOf(completion) };
  });
  return { results, unblocked };
};

type Written = Settled & { readonly finishedAt: Date };

/** The elements that this batch has written: of two for one job the first. */
const toWon = (
  { completions, token }: CompletionBatch,
  jobs: ReadonlyMap<string, Settled>,
): Map<JobCompletion, Written> => {
  const seen = new Set<string>();
  const won = new Map<JobCompletion, Written>();
  for (const completion of completions) {
    const job = jobs.get(completion.jobId);
    if (seen.has(completion.jobId) || job?.token !== token || job.finishedAt === undefined)
      continue;
    if (completion.leaseVersion !== null && job.completedByLease !== completion.leaseVersion)
      continue;
    seen.add(completion.jobId);
    won.set(completion, { ...job, finishedAt: job.finishedAt });
  }
  return won;
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
