// The three markers of a job type definition. They exist for the compiler only. No value ever has
// them, so a payload cannot be mistaken for a marker.

declare const continuationInput: unique symbol;
declare const continuationOutput: unique symbol;
declare const blocker: unique symbol;

/** Marks a job type as internal: reached by `continueWith` only, never by `startJobSequence`. */
export interface DefineContinuationInput<TInput> {
  readonly [continuationInput]: TInput;
}

/**
 * In an output: the job continues to a job of this type (or, for a union of names, one of these).
 */
export interface DefineContinuationOutput<TTypeName extends string> {
  readonly [continuationOutput]: TTypeName;
}

/**
 * In `blockers`: the job waits for a sequence of this type (or, for a union of names, one of
 * these).
 */
export interface DefineBlocker<TTypeName extends string> {
  readonly [blocker]: TTypeName;
}
