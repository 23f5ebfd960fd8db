// Step 7a of the walk, continued: the next job of a sequence. Without blockers it is stored by the statement that completes
// the job before it. With blockers it is stored earlier in the same transaction, since they name it as their origin.
import type { CompletionOutcome, NewContinuationJob } from "../adapters/state-adapter-params.ts";
import type { Effects } from "../after-commit/open-transactions.ts";
import type { Engine } from "../engine.ts";
import { ProcessMisuseError } from "../errors.ts";
import { assertObject } from "../model/assert-option.ts";
import type { StateJob } from "../model/state-job.ts";
import { addBlockers } from "./add-blockers.ts";
import { checkNewJob, type NewJobOptions } from "./new-job.ts";
import { addCreatedEffects } from "./job-effects.ts";

/** The result of `continueWith`: the outcome of a completion, which users cannot make themselves. */
export class ContinuationToken {
  readonly typeName: string;
  readonly outcome: Exclude<CompletionOutcome, { readonly kind: "output" }>;

  constructor(typeName: string, outcome: Exclude<CompletionOutcome, { readonly kind: "output" }>) {
    this.typeName = typeName;
    this.outcome = outcome;
  }
}

/** Checks the user's options and makes the record of the job that follows `from`. */
export const toNewContinuation = async (
  engine: Engine,
  from: StateJob,
  options: NewJobOptions,
  traceContext: string | null,
): Promise<NewContinuationJob> => {
  assertObject(options, "continueWith");
  const fields = await checkNewJob(engine, options);
  engine.registry.assertContinuation(from.typeName, fields.typeName);
  return {
    kind: "continuation",
    ...fields,
    sequenceId: from.sequenceId,
    sequenceTypeName: from.sequenceTypeName,
    sequenceCreatedAt: from.sequenceCreatedAt,
    rootSequenceId: from.rootSequenceId,
    originId: from.id,
    position: from.position + 1,
    traceContext,
  };
};

export interface Continuing {
  readonly continueWith: (options: NewJobOptions) => Promise<ContinuationToken>;
  readonly isCalled: () => boolean;
}

/** `continueWith` of a complete callback: may be called once, in the transaction that completes the job. */
export const createContinueWith = (
  engine: Engine,
  context: object,
  from: StateJob,
  effects: Effects,
  /** The attempt's own, so that the trace goes on from there. */
  traceContext: string | null,
): Continuing => {
  let isCalled = false;
  const continueWith = async (options: NewJobOptions): Promise<ContinuationToken> => {
    if (isCalled) throw new ProcessMisuseError("continueWith can only be called once");
    isCalled = true;
    const job = await toNewContinuation(engine, from, options, traceContext);
    const { startBlockers, waitAtMostMs } = options;
    if (startBlockers === undefined) {
      return new ContinuationToken(job.typeName, { kind: "continuation", job });
    }
    const [created] = await engine.state.createJobs({ context, jobs: [job] });
    if (created === undefined) throw new ProcessMisuseError("the continuation was not stored");
    const starts = [{ job: created.job, startBlockers, waitAtMostMs }];
    const [result] = await addBlockers(engine, context, starts);
    const stored = result?.job ?? created.job;
    addCreatedEffects(effects, stored, result?.blockerSequenceIds ?? []);
    return new ContinuationToken(job.typeName, { kind: "continuedTo", jobId: stored.id });
  };
  return { continueWith, isCalled: () => isCalled };
};
