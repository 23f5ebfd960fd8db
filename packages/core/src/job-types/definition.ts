// The parts of one definition. Every type here reads one definition at a time, so its cost does not
// depend on the number of job types.
import type {
  BlockerEnd,
  CodedDefinition,
  DefineBlocker,
  DefineContinuationInput,
  DefineContinuationOutput,
  DefineSignal,
} from "./markers.ts";

/** The shape of one entry of `defineUnionJobTypes`. */
export interface JobTypeDefinition {
  readonly input: unknown;
  readonly output: unknown;
  readonly blockers?: readonly DefineBlocker<string, BlockerEnd>[];
}

/** The names of the defined job types. */
export type JobTypeName<TDefinitions> = keyof TDefinitions & string;

// A part is read as a property, and then matched: to infer it from the definition costs the compiler three times as much.
type Part<TDefinition, TName extends string> = TDefinition[TName & keyof TDefinition];

/** The input as its author wrote it, without the marker of internal types. */
export type WrittenInput<TDefinition> = Unmarked<Part<TDefinition, "input">>;

type Unmarked<TInput> =
  TInput extends DefineContinuationInput<infer TInner>
    ? unknown extends TInput
      ? TInput
      : TInner
    : TInput;

/**
 * The output as its author wrote it, without the markers of continuations; never if it always
 * continues.
 */
export type WrittenOutput<TDefinition> = WithoutContinuations<Part<TDefinition, "output">>;

type WithoutContinuations<TOutput> = unknown extends TOutput
  ? TOutput
  : TOutput extends DefineContinuationOutput<string>
    ? never
    : TOutput;

/** The names in the continuation markers of an output; never if it always ends the sequence. */
export type ContinuationNames<TDefinition> = NamesIn<Part<TDefinition, "output">>;

type NamesIn<TOutput> = unknown extends TOutput
  ? never
  : TOutput extends DefineContinuationOutput<infer TTypeName>
    ? TTypeName
    : never;

/** Whether a definition is internal. `any` and `unknown` inputs carry no marker. */
export type IsContinuationOnly<TDefinition> = IsMarked<Part<TDefinition, "input">>;

type IsMarked<TInput> = unknown extends TInput
  ? false
  : [TInput] extends [DefineContinuationInput<unknown>]
    ? true
    : false;

/** Whether a definition is a signal. `any` is none. */
export type IsSignal<TDefinition> = unknown extends TDefinition
  ? false
  : TDefinition extends DefineSignal<unknown>
    ? true
    : false;

/** Whether a codec writes the payloads of a definition. `any` has none. */
export type IsCoded<TDefinition> = unknown extends TDefinition
  ? false
  : TDefinition extends CodedDefinition
    ? true
    : false;

/** The blockers tuple of a definition; an empty one if it declares none. */
export type WrittenBlockers<TDefinition> = TDefinition extends {
  readonly blockers: infer TBlockers extends readonly unknown[];
}
  ? TBlockers
  : readonly [];

/** The name, or names, in a blocker marker. */
export type BlockerName<TBlocker> =
  TBlocker extends DefineBlocker<infer TTypeName, BlockerEnd> ? TTypeName : never;

/** Whether the job's handler also gets a blocker that has failed or was cancelled. */
export type MayHaveFailed<TBlocker> =
  TBlocker extends DefineBlocker<string, "ended"> ? true : false;

/** Null for a blocker that a job may run without. */
export type NullIfOptional<TBlocker> =
  TBlocker extends DefineBlocker<string, "optional"> ? null : never;

/** Whether a job may run without any of its blockers. */
export type CanRunWithout<TDefinition> =
  WrittenBlockers<TDefinition> extends readonly DefineBlocker<string, "optional">[] ? true : false;
