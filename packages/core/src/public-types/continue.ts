import type { WrittenInput } from "../job-types/definition.ts";
import type { ContinuationJobTypes, HasBlockers } from "../job-types/references.ts";
import type { Refused } from "./refused.ts";
import type { BlockerOptions, NewJobOptions } from "./start.ts";

declare const continuation: unique symbol;

/** The result of `continueWith`: return it, and the sequence goes on with a job of this type. */
export interface Continuation<TTypeName extends string = string> {
  readonly typeName: TTypeName;
  readonly [continuation]: true;
}

/** Whether it is a union of several types. */
export type IsUnion<T, TAll = T> = T extends unknown ? ([TAll] extends [T] ? false : true) : never;

type NextJobOptions<TDefinitions, TNext extends keyof TDefinitions & string> = NewJobOptions & {
  readonly typeName: TNext;
  readonly input: WrittenInput<TDefinitions[TNext]>;
};

/**
 * `continueWith` inside a complete callback; a sentence for types whose output names no
 * continuation.
 */
export type ContinueWith<
  TJobId extends string,
  TDefinitions,
  TTxContext,
  TTypeName extends keyof TDefinitions & string,
> = [ContinuationJobTypes<TDefinitions, TTypeName>] extends [never]
  ? Refused<`Error: job type '${TTypeName}' has no DefineContinuationOutput in its output, so it cannot continue`>
  : ContinueToOneOf<
      TJobId,
      TDefinitions,
      TTxContext,
      ContinuationJobTypes<TDefinitions, TTypeName>
    >;

// Most types continue to one other type. A function without a type parameter costs the compiler half of one with it.
type ContinueToOneOf<TJobId extends string, TDefinitions, TTxContext, TNames> =
  IsUnion<TNames> extends true
    ? <TNext extends TNames & keyof TDefinitions & string>(
        options: NextJobOptions<TDefinitions, TNext> &
          BlockerOptions<TJobId, TDefinitions, TTxContext, TNext>,
      ) => Promise<Continuation<TNext>>
    : TNames extends keyof TDefinitions & string
      ? (
          options: NextJobOptions<TDefinitions, TNames> &
            BlockerOptions<TJobId, TDefinitions, TTxContext, TNames>,
        ) => Promise<Continuation<TNames>>
      : never;

/** The name, or a sentence if the type has blockers. */
export type WithoutBlockersTypeName<TDefinitions, TNext extends keyof TDefinitions & string> =
  HasBlockers<TDefinitions, TNext> extends true
    ? `Error: job type '${TNext}' has blockers: continue to it in complete(async ({ continueWith }) => …)`
    : TNext;

/**
 * `complete.continueWith`: the same by value, for types without blockers, whose start runs no user
 * code.
 */
export type ContinueWithValue<
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
  TCompletion,
> = [ContinuationJobTypes<TDefinitions, TTypeName>] extends [never]
  ? Refused<`Error: job type '${TTypeName}' has no DefineContinuationOutput in its output, so it cannot continue`>
  : ContinueByValueToOneOf<
      TDefinitions,
      ContinuationJobTypes<TDefinitions, TTypeName>,
      TCompletion
    >;

type NextJobByValue<TDefinitions, TNext extends keyof TDefinitions & string> = NewJobOptions & {
  readonly typeName: WithoutBlockersTypeName<TDefinitions, TNext>;
  readonly input: WrittenInput<TDefinitions[TNext]>;
};

type ContinueByValueToOneOf<TDefinitions, TNames, TCompletion> =
  IsUnion<TNames> extends true
    ? <TNext extends TNames & keyof TDefinitions & string>(
        options: NextJobByValue<TDefinitions, TNext>,
      ) => Promise<TCompletion>
    : TNames extends keyof TDefinitions & string
      ? (options: NextJobByValue<TDefinitions, TNames>) => Promise<TCompletion>
      : never;
