import type { WrittenOutput } from "../job-types/definition.ts";
import type { ProcessedJobOf } from "../job-types/job-of.ts";
import type { ContinuationJobTypes } from "../job-types/references.ts";
import type { JobAbortReason, TypedAbortSignal } from "./abort.ts";
import type { Continuation, ContinueWith, ContinueWithValue } from "./continue.ts";
import type { Refused } from "./refused.ts";

declare const completion: unique symbol;

/**
 * What `complete` gives, and what a process function must return: without it the job has no
 * outcome. The type parameter only makes the compiler say so when it is forgotten.
 */
export interface Completion<TRule extends string = "return what complete(…) gives"> {
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
 * What a complete callback may answer: an output that ends the sequence, or what `continueWith`
 * gave. A conditional type, so that the compiler prints the outputs themselves and not this name.
 */
export type CompleteResult<TDefinitions, TTypeName extends keyof TDefinitions & string> = [
  ContinuationJobTypes<TDefinitions, TTypeName>,
] extends [never]
  ? WrittenOutput<TDefinitions[TTypeName]>
  : | WrittenOutput<TDefinitions[TTypeName]>
    | Continuation<ContinuationJobTypes<TDefinitions, TTypeName>>;

/**
 * The callback form: runs in a transaction, together with the output or the continuation it
 * answers.
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
 * The sentence has to stand before the callback, behind whose definitions the compiler cuts its message: 5.9 prints a union
 * in the order it is written in, 7 in that of the names.
 */
interface AlwaysContinues<TSentence extends string> extends Refused<TSentence> {}

type CompleteValue<TDefinitions, TTypeName extends keyof TDefinitions & string> = [
  WrittenOutput<TDefinitions[TTypeName]>,
] extends [never]
  ? AlwaysContinues<`Error: job type '${TTypeName}' always continues: use complete.continueWith, or continueWith in a callback`>
  : WrittenOutput<TDefinitions[TTypeName]>;

/** Gives the job its outcome: by callback, in a transaction with the user's writes, or by value. */
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

/** What a process function is given. */
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
}

/** Does the work of one job and returns what `complete` gave. */
export type ProcessFunction<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
> = (context: ProcessContext<TJobId, TDefinitions, TTxContext, TTypeName>) => Promise<Completion>;
