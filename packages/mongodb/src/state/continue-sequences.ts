// Step 7a of the walk: the next jobs of sequences are stored, and those who wait for a sequence wait on at its new job.
import type { JobCompletion, NewContinuationJob, StateJob } from "queuert/internal";
import type { Database } from "../database.ts";
import { type JobDocument, toStateJob } from "../job-document.ts";
import type { Scope } from "../store.ts";
import { createToken } from "../token.ts";
import type { Settled } from "./completion.ts";
import { onlyOnce, toDocuments } from "./create-jobs.ts";

/** The next job of each completion that continues, made before its transaction so that every try stores the same. */
export interface ContinuationDocuments {
  /** Its id, also of one that was stored before. */
  idOf(completion: JobCompletion): string | undefined;
  documentOf(completion: JobCompletion): JobDocument | undefined;
  stateJobOf(completion: JobCompletion): StateJob | null;
}

export const prepareContinuations = async (
  db: Database,
  completions: readonly JobCompletion[],
): Promise<ContinuationDocuments> => {
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
    stateJobOf: (completion) => {
      const document = byCompletion.get(completion);
      return document === undefined ? null : toStateJob(document);
    },
    idOf: (completion) =>
      completion.outcome.kind === "continuedTo"
        ? completion.outcome.jobId
        : byCompletion.get(completion)?._id,
  };
};

export const insertContinuations = async (
  { jobs }: Database,
  scope: Scope,
  won: ReadonlyMap<JobCompletion, Settled>,
  continuations: ContinuationDocuments,
): Promise<void> => {
  const inserted: JobDocument[] = [];
  const handedOn: string[] = [];
  for (const [completion, { hasWaiters }] of won) {
    const document = continuations.documentOf(completion);
    if (document !== undefined) inserted.push({ ...document, ...(hasWaiters && { hasWaiters }) });
    else if (completion.outcome.kind === "continuedTo" && hasWaiters) {
      handedOn.push(completion.outcome.jobId);
    }
  }
  if (inserted.length > 0) await onlyOnce(() => jobs.insertMany(scope, inserted));
  if (handedOn.length > 0) {
    const marked = { hasWaiters: true, token: createToken() };
    await jobs.updateMany(scope, { _id: { $in: handedOn } }, { $set: marked });
  }
};
