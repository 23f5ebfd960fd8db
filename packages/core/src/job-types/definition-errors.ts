// The mistakes in a set of definitions, each as one sentence. The sentences become the constraint
// that the definitions fail to meet, so the compiler prints them. Without a mistake the constraint
// is `unknown`, which anything meets.
import type {
  BlockerName,
  ContinuationNames,
  IsCoded,
  WrittenBlockers,
  WrittenInput,
  WrittenOutput,
} from "./definition.ts";
import type {
  BlockerEnd,
  DefineBlocker,
  DefineContinuationInput,
  DefineContinuationOutput,
} from "./markers.ts";
import type { IsJson, JsonValue, NonJsonPart } from "./json.ts";
import type { ExternalJobTypes, SignalNames } from "./references.ts";

/** The constraint of `defineUnionJobTypes`: `unknown`, or the sentences with the mistakes. */
export type CheckedDefinitions<TDefinitions> = {
  [TTypeName in keyof TDefinitions]: DefinitionError<
    TDefinitions,
    TDefinitions[TTypeName],
    TTypeName & string,
    keyof TDefinitions
  >;
}[keyof TDefinitions] extends infer TSentences
  ? [TSentences] extends [never]
    ? unknown
    : TSentences
  : never;

/** Most definitions without a mistake: one comparison answers them. The others are read part by part. */
interface PlainDefinition<TDefinitions> {
  readonly input: JsonValue | DefineContinuationInput<JsonValue>;
  readonly output: JsonValue | DefineContinuationOutput<JobNames<TDefinitions>>;
  readonly blockers?: readonly DefineBlocker<ExternalJobTypes<TDefinitions>, BlockerEnd>[];
}

/** The types that are no signals. */
type JobNames<TDefinitions> = Exclude<keyof TDefinitions, SignalNames<TDefinitions>> & string;

// `TNames`: the compiler makes `keyof TDefinitions` anew wherever it is written, at a cost of all names.
type DefinitionError<TDefinitions, TDefinition, TTypeName extends string, TNames> =
  TDefinition extends PlainDefinition<TDefinitions>
    ? never
    : TDefinition extends { readonly input: unknown; readonly output: unknown }
      ? | ContinuationError<TDefinitions, ContinuationNames<TDefinition>, TTypeName, TNames>
        | BlockersError<TDefinitions, TDefinition, TTypeName>
        | PayloadErrors<TDefinition, TTypeName>
      : `Error: job type '${TTypeName}' must be { input, output } with optional blockers`;

type ContinuationError<TDefinitions, TTarget, TTypeName extends string, TNames> = [
  TTarget,
] extends [TNames]
  ? TTarget extends SignalNames<TDefinitions>
    ? `Error: job type '${TTypeName}' continues to '${TTarget}', which is a signal: wait for it as a blocker`
    : never
  : `Error: job type '${TTypeName}' continues to '${Exclude<TTarget, TNames> & string}', which is not defined`;

type BlockersError<TDefinitions, TDefinition, TTypeName extends string> = TDefinition extends {
  readonly blockers?: infer TBlockers;
}
  ? [Exclude<TBlockers, undefined>] extends [readonly DefineBlocker<string, BlockerEnd>[]]
    ? BlockerTargetError<TDefinitions, TTypeName, BlockerName<WrittenBlockers<TDefinition>[number]>>
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

/** A codec decides at run time which values it carries. */
type PayloadErrors<TDefinition, TTypeName extends string> =
  IsCoded<TDefinition> extends true
    ? never
    : | PayloadError<WrittenInput<TDefinition>, TTypeName, "input">
      | PayloadError<WrittenOutput<TDefinition>, TTypeName, "output">;

type PayloadError<TPayload, TTypeName extends string, TPart extends "input" | "output"> =
  IsJson<TPayload> extends true
    ? never
    : NonJsonPart<TPayload, TPart> extends infer TReason
      ? `Error: the ${TPart} of job type '${TTypeName}' holds ${[TReason] extends [never] ? "something" : TReason & string}, which JSON cannot carry`
      : never;
