// Completion without a worker: an approval, a webhook. The caller's transaction locks the sequence's current job. A worker
// that runs it at the same time either has settled before, or finds it completed.
import type { ObservabilitySpan } from "../adapters/observability-adapter.ts";
import { PendingCalls, requireTransaction } from "../after-commit/open-transactions.ts";
import type { Engine } from "../engine.ts";
import {
  InvalidOptionError,
  JobAlreadyCompletedError,
  JobNotFoundError,
  ProcessMisuseError,
} from "../errors.ts";
import { assertName } from "../model/assert-option.ts";
import type { StateJob } from "../model/state-job.ts";
import { isFinished } from "../model/status.ts";
import { type Job, toJob, toReference } from "../model/job.ts";
import { type JobSequence, toJobSequences } from "../model/sequence.ts";
import { assertSequenceType } from "./await-sequence.ts";
import { createContinueWith } from "./continuation.ts";
import type { NewJobOptions } from "./new-job.ts";
import { toOutcome } from "./process-job/complete.ts";
import { observeStep } from "../observe/guarded-span.ts";
import { addCompletedEffects, addUnblockedEffects } from "./job-effects.ts";

export interface CompleteExternallyOptions {
  readonly id: string;
  readonly typeName: string;
  readonly complete: (options: {
    readonly job: Job;
    readonly complete: (
      job: { readonly id: string },
      callback: (context: object) => unknown,
    ) => Promise<Job>;
  }) => Promise<unknown>;
}

/** Runs the user's callback with the current job, and returns its result. */
export const completeExternally = async (
  engine: Engine,
  given: object | undefined,
  { id, typeName, complete }: CompleteExternallyOptions,
): Promise<unknown> => {
  assertName(id, "id");
  if (typeof complete !== "function") {
    throw new InvalidOptionError("complete", complete, "give a function");
  }
  const context = await requireTransaction(engine, given, "completeJobSequence");
  const [sequence] = await engine.state.lockSequences({ context, ids: [id] });
  if (sequence === undefined) throw new JobNotFoundError(id);
  assertSequenceType(sequence, typeName);
  let current = sequence.current;
  if (isFinished(current.status)) {
    throw new JobAlreadyCompletedError(current.id, { sequenceId: id });
  }

  const completeOne = async (
    job: { readonly id: string },
    callback: (context: object) => unknown,
  ): Promise<Job> => {
    if (typeof callback !== "function") {
      throw new InvalidOptionError("complete callback", callback, "give a function");
    }
    if (job?.id !== current.id) {
      throw new ProcessMisuseError(
        `Only the sequence's current job (${current.id}) can be completed; ` +
          "complete the job that the step before returned",
      );
    }
    if (isFinished(current.status)) throw new JobAlreadyCompletedError(current.id);
    const from = current;
    current = await observeStep(
      engine,
      () => ({
        kind: "completeExternally",
        job: toReference(from),
        traceContext: from.traceContext,
      }),
      (span) => completeStep(engine, context, from, callback, span),
    );
    return toJob(engine.codec, current, await blockersOf(engine, context, current));
  };
  const job = toJob(engine.codec, current, await blockersOf(engine, context, current));
  return withCalls((calls) =>
    complete({
      job,
      complete: (one, callback) => calls.call("complete", () => completeOne(one, callback)),
    }),
  );
};

/** Runs a user's callback, and waits for calls that it has not awaited: the transaction may end right after it. */
const withCalls = async <T>(run: (calls: PendingCalls) => T | Promise<T>): Promise<T> => {
  const calls = new PendingCalls();
  try {
    return await run(calls);
  } finally {
    const left = calls.leave();
    if (left !== null) await left;
  }
};

/** Completes one job in the caller's transaction; answers its continuation, or itself when the sequence has ended. */
const completeStep = async (
  engine: Engine,
  context: object,
  job: StateJob,
  callback: (context: object) => unknown,
  span: ObservabilitySpan | null,
): Promise<StateJob> => {
  const effects = engine.effects.create();
  const { continueWith, isCalled } = createContinueWith(
    engine,
    context,
    job,
    effects,
    span?.traceContext() ?? job.traceContext,
  );
  const answer = await withCalls((calls) =>
    callback({
      ...context,
      continueWith: (options: NewJobOptions) =>
        calls.call("continueWith", () => continueWith(options)),
    }),
  );
  const outcome = await toOutcome(engine, job, answer, isCalled());
  const { results, unblocked } = await engine.state.completeJobs({
    context,
    workerId: null,
    completions: [{ jobId: job.id, typeName: job.typeName, leaseVersion: null, outcome }],
  });
  const [result] = results;
  if (result?.kind !== "completed") {
    // Locked by this transaction, it can only have been finished within it.
    throw result?.reason === "not_found"
      ? new JobNotFoundError(job.id)
      : new JobAlreadyCompletedError(job.id);
  }
  addUnblockedEffects(effects, unblocked);
  addCompletedEffects(effects, job, outcome, result, null);
  if (job.status === "running") effects.ownershipLost(job.id);
  const evidence = {
    operation: "completeJobSequence",
    jobId: job.id,
    jobCount: 1,
    isConfirmedBy: (stored: StateJob | undefined): boolean => stored?.status === "completed",
  };
  engine.effects.record(context, evidence, (scope) => effects.mergeInto(scope));
  return nextOf(
    engine,
    context,
    job,
    outcome.kind === "continuedTo" ? outcome.jobId : null,
    result,
  );
};

const nextOf = async (
  engine: Engine,
  context: object,
  job: StateJob,
  continuedToId: string | null,
  { continuation }: { readonly continuation: StateJob | null },
): Promise<StateJob> => {
  if (continuation !== null) return continuation;
  const [stored] = await engine.state.getJobs({ context, ids: [continuedToId ?? job.id] });
  if (stored === undefined) throw new JobNotFoundError(continuedToId ?? job.id);
  return stored;
};

const blockersOf = async (
  engine: Engine,
  context: object,
  job: StateJob,
): Promise<readonly JobSequence[]> => {
  const [blockers = []] = await engine.state.getBlockers({ context, ids: [job.id] });
  return toJobSequences(engine.codec, blockers);
};
