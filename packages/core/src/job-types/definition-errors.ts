// The mistakes in a set of definitions, each as one sentence. The sentences become the constraint
// that the definitions fail to meet, so the compiler prints them. Without a mistake the constraint
// is `unknown`, which anything meets.
import type {
  BlockerName,
  ContinuationNames,
  WrittenBlockers,
  WrittenInput,
  WrittenOutput,
} from "./definition.ts";
import type { DefineBlocker } from "./markers.ts";
import type { IsJson, NonJsonPart } from "./json.ts";
import type { ExternalJobTypes } from "./references.ts";

/** The constraint of `defineUnionJobTypes`: `unknown`, or the sentences with the mistakes. */
export type CheckedDefinitions<TDefinitions> = {
  [TTypeName in keyof TDefinitions]: DefinitionError<TDefinitions, TTypeName & string>;
}[keyof TDefinitions] extends infer TSentences
  ? [TSentences] extends [never]
    ? unknown
    : TSentences
  : never;

type DefinitionError<
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
> = TDefinitions[TTypeName] extends { readonly input: unknown; readonly output: unknown }
  ? | ContinuationError<TDefinitions, TTypeName>
    | BlockersError<TDefinitions, TTypeName>
    | PayloadError<WrittenInput<TDefinitions[TTypeName]>, TTypeName, "input">
    | PayloadError<WrittenOutput<TDefinitions[TTypeName]>, TTypeName, "output">
  : `Error: job type '${TTypeName}' must be { input, output } with optional blockers`;

type ContinuationError<TDefinitions, TTypeName extends keyof TDefinitions & string> =
  ContinuationNames<TDefinitions[TTypeName]> extends infer TTarget
    ? [TTarget] extends [keyof TDefinitions]
      ? never
      : `Error: job type '${TTypeName}' continues to '${Exclude<TTarget, keyof TDefinitions> & string}', which is not defined`
    : never;

type BlockersError<
  TDefinitions,
  TTypeName extends keyof TDefinitions & string,
> = TDefinitions[TTypeName] extends { readonly blockers?: infer TBlockers }
  ? [Exclude<TBlockers, undefined>] extends [readonly DefineBlocker<string>[]]
    ? BlockerTargetError<
        TDefinitions,
        TTypeName,
        BlockerName<WrittenBlockers<TDefinitions[TTypeName]>[number]>
      >
    : `Error: the blockers of job type '${TTypeName}' must be a tuple such as [DefineBlocker<'other'>]`
  : never;

type BlockerTargetError<TDefinitions, TTypeName extends string, TTarget> = [TTarget] extends [
  ExternalJobTypes<TDefinitions>,
]
  ? never
  : TTarget extends ExternalJobTypes<TDefinitions>
    ? never
    : TTarget extends keyof TDefinitions
      ? `Error: job type '${TTypeName}' has the blocker '${TTarget & string}', which is reached by continueWith only`
      : `Error: job type '${TTypeName}' has the blocker '${TTarget & string}', which is not defined`;

type PayloadError<TPayload, TTypeName extends string, TPart extends "input" | "output"> =
  IsJson<TPayload> extends true
    ? never
    : NonJsonPart<TPayload, TPart> extends infer TReason
      ? `Error: the ${TPart} of job type '${TTypeName}' holds ${[TReason] extends [never] ? "something" : TReason & string}, which JSON cannot carry`
      : never;
