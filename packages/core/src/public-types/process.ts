import type { WrittenOutput } from "../job-types/definition.ts";
import type { ProcessedJobOf } from "../job-types/job-of.ts";
import type { ContinuationJobTypes } from "../job-types/references.ts";
import type { WriteAttemptLog, WriteProgress } from "./attempt-log.ts";
import type { JobAbortReason, TypedAbortSignal } from "./abort.ts";
import type { Continuation, ContinueWith, ContinueWithValue } from "./continue.ts";
import type { Refused } from "./refused.ts";

declare const completion: unique symbol;

/**
 * The result of `complete`, which a process function must return: without it the job has no
 * outcome. If it is forgotten, the compiler prints the type parameter.
 */
export interface Completion<TRule extends string = "return the result of complete(…)"> {
  readonly [completion]: TRule;
}

/**
 * Opens the transaction of the attempt (`atomic`: kept until the end; `staged`: closed before
 * processing).
 */
export interface Prepare<TTxContext> {
  (options: { readonly mode: "atomic" | "staged" }): Promise<void>;
  <TResult>(
    options: { readonly mode: "atomic" | "staged" },
    callback: (context: TTxContext) => TResult | Promise<TResult>,
  ): Promise<TResult>;
}

/**
 * The result of a complete callback: an output that ends the sequence, or the result of
 * `continueWith`. A conditional type, so that the compiler prints the outputs themselves and not this name.
 */
export type CompleteResult<TDefinitions, TTypeName extends keyof TDefinitions & string> = [
  ContinuationJobTypes<TDefinitions, TTypeName>,
] extends [never]
  ? WrittenOutput<TDefinitions[TTypeName]>
  : | WrittenOutput<TDefinitions[TTypeName]>
    | Continuation<ContinuationJobTypes<TDefinitions, TTypeName>>;

/**
 * The callback form: runs in a transaction, together with the output or the continuation that it
 * returns.
 */
export type CompleteCallback<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
> = (
  context: TTxContext & {
    readonly continueWith: ContinueWith<TJobId, TDefinitions, TTxContext, TTypeName>;
  },
) => CompleteResult<TDefinitions, TTypeName> | Promise<CompleteResult<TDefinitions, TTypeName>>;

/**
 * The sentence has to stand before the callback: the compiler cuts its message behind the definitions of the callback.
 * TypeScript 5.9 prints a union in the order in which it is written, 7 in the order of the names.
 */
interface AlwaysContinues<TSentence extends string> extends Refused<TSentence> {}

type CompleteValue<TDefinitions, TTypeName extends keyof TDefinitions & string> = [
  WrittenOutput<TDefinitions[TTypeName]>,
] extends [never]
  ? AlwaysContinues<`Error: job type '${TTypeName}' always continues: use complete.continueWith, or continueWith in a callback`>
  : WrittenOutput<TDefinitions[TTypeName]>;

/**
 * Gives the job its outcome: by callback, in a transaction with the user's writes, or by value.
 *
 * It resolves before the commit. The outcome commits when the process function has returned. If the function throws after
 * `complete`, nothing of the outcome is stored. Use `afterCommit` for code that must not run before the commit.
 */
export interface Complete<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
> {
  (
    outcome:
      | CompleteValue<TDefinitions, TTypeName>
      | CompleteCallback<TJobId, TDefinitions, TTxContext, TTypeName>,
  ): Promise<Completion>;
  readonly continueWith: ContinueWithValue<TDefinitions, TTypeName, Completion>;
}

/** The argument of a process function. */
export interface ProcessContext<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
> {
  readonly signal: TypedAbortSignal<JobAbortReason>;
  readonly job: ProcessedJobOf<TJobId, TDefinitions, TTypeName>;
  readonly prepare: Prepare<TTxContext>;
  readonly complete: Complete<TJobId, TDefinitions, TTxContext, TTypeName>;
  /**
   * Runs a callback once the completion or continuation of this attempt has committed. It does not run if the attempt fails,
   * is rescheduled, or has lost its job. It runs at most once: a process that ends after the commit does not run it. For work
   * that must happen, use `continueWith`. An error of the callback is logged, and changes nothing.
   */
  readonly afterCommit: (callback: () => unknown) => void;
  readonly log: WriteAttemptLog;
  readonly progress: WriteProgress;
}

/** Does the work of one job, and returns the result of `complete`. */
export type ProcessFunction<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
> = (context: ProcessContext<TJobId, TDefinitions, TTxContext, TTypeName>) => Promise<Completion>;
