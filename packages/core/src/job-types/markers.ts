// The markers of a job type definition. They exist for the compiler only. No value ever has
// them, so a payload cannot be mistaken for a marker.

declare const continuationInput: unique symbol;
declare const continuationOutput: unique symbol;
declare const blocker: unique symbol;
declare const signal: unique symbol;
declare const blockerEnd: unique symbol;
declare const coded: unique symbol;

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
 * these). With `"ended"` its handler also gets sequences that have failed or were cancelled, and the job
 * may be started with `onBlockerFailure: "continue"`. With `"optional"` its handler gets null in the place of a
 * sequence that has not completed when the wait ends (`waitAtMostMs`).
 */
export interface DefineBlocker<TTypeName extends string, TEnd extends BlockerEnd = "completed"> {
  readonly [blocker]: TTypeName;
  readonly [blockerEnd]?: TEnd;
}

/** What a job that runs finds in the place of a blocker. */
export type BlockerEnd = "completed" | "ended" | "optional";

/**
 * A job type that no worker implements: a job waits for it as its blocker (`expectSignal`), and
 * `sendSignals` completes it with this payload. It is written in place of `{ input, output }`.
 */
export interface DefineSignal<TPayload> {
  readonly input: null;
  readonly output: TPayload;
  readonly [signal]: true;
}

/** The definition of a job type whose payloads a codec writes: they are read as they were written. */
export interface CodedDefinition {
  readonly [coded]: true;
}

/** The definitions of `defineCodedJobTypes`. */
export type CodedDefinitions<TDefinitions> = {
  [TTypeName in keyof TDefinitions]: TDefinitions[TTypeName] & CodedDefinition;
};
