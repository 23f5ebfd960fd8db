// How job types lead to one another. Every union here is built once per set of definitions and then
// looked up. Each sequence is walked once, breadth first, by a tail-recursive type. A chain of
// hundreds of types therefore neither nests instantiations nor is walked again for each member.
import type {
  BlockerName,
  ContinuationNames,
  IsContinuationOnly,
  IsSignal,
  WrittenBlockers,
} from "./definition.ts";

/** The job types a sequence can start with: all but those marked with `DefineContinuationInput`. */
export type ExternalJobTypeDefinitions<TDefinitions> = {
  [
    TTypeName in keyof TDefinitions as IsContinuationOnly<TDefinitions[TTypeName]> extends true
      ? never
      : TTypeName
  ]: TDefinitions[TTypeName];
};

/**
 * The names of the job types a sequence can start with.
 *
 * Written as a conditional type, because the compiler keeps the result of one. It would evaluate
 * `keyof` of a remapped type again at each use.
 */
export type ExternalJobTypes<TDefinitions> =
  keyof ExternalJobTypeDefinitions<TDefinitions> extends infer TTypeName extends string
    ? TTypeName
    : never;

/** The names of the signals: none is started, processed or continued to. A conditional type for the same reason. */
export type SignalNames<TDefinitions> = keyof {
  [
    TTypeName in keyof TDefinitions as IsSignal<TDefinitions[TTypeName]> extends true
      ? TTypeName
      : never
  ]: true;
} extends infer TTypeName extends string
  ? TTypeName
  : never;

/** The job types a job of this type can continue to. */
export type ContinuationJobTypes<
  TDefinitions,
  TTypeName extends keyof TDefinitions,
> = ContinuationNames<TDefinitions[TTypeName]>;

/** Every job type that can occur in a sequence that starts with this one, itself included. */
export type SequenceJobTypes<TDefinitions, TSequenceTypeName extends keyof TDefinitions> = Reached<
  TDefinitions,
  TSequenceTypeName,
  TSequenceTypeName
>;

// `TFrontier`: the names reached in the last step, all of them in `TVisited` already. Two steps a
// turn, since the compiler gives up after 1,000 turns; a turn with nothing left to visit adds
// nothing.
type Reached<TDefinitions, TFrontier, TVisited> = [TFrontier] extends [never]
  ? TVisited & string
  : Unvisited<TDefinitions, TFrontier, TVisited> extends infer TNext
    ? Unvisited<TDefinitions, TNext, TVisited | TNext> extends infer TAfterNext
      ? Reached<TDefinitions, TAfterNext, TVisited | TNext | TAfterNext>
      : never
    : never;

type Unvisited<TDefinitions, TFrontier, TVisited> = Exclude<
  NextNames<TDefinitions, TFrontier>,
  TVisited
>;

type NextNames<TDefinitions, TFrontier> = TFrontier extends keyof TDefinitions
  ? ContinuationNames<TDefinitions[TFrontier]>
  : never;

// From each job type to the sequence types that contain it. Key remapping unites sequence types
// that map to the same name, so one pass inverts the table.
type SequenceTypesByJobType<TDefinitions> = {
  [
    TSequenceTypeName in ExternalJobTypes<TDefinitions> as SequenceJobTypes<
      TDefinitions,
      TSequenceTypeName & keyof TDefinitions
    >
  ]: TSequenceTypeName;
};

/**
 * Every sequence type in which a job of this type can occur: the inverse of `SequenceJobTypes`.
 *
 * Looked up by inference, not by `[TTypeName]`. Each indexed access into a remapped type evaluates
 * the names of all its keys again. The cost of a definition then grew with the square of its entry
 * types.
 */
export type SequenceTypesReaching<TDefinitions, TTypeName extends keyof TDefinitions> =
  SequenceTypesByJobType<TDefinitions> extends {
    readonly [TName in TTypeName]: infer TSequenceTypeName extends string;
  }
    ? TSequenceTypeName
    : never;

/** Whether jobs of this type wait for blockers, and so must be given `startBlockers`. */
export type HasBlockers<TDefinitions, TTypeName extends keyof TDefinitions> =
  WrittenBlockers<TDefinitions[TTypeName]> extends readonly [] ? false : true;

/** The names of the sequence types in the blockers of a job type, in order. */
export type BlockerJobTypes<TDefinitions, TTypeName extends keyof TDefinitions> = BlockerNames<
  WrittenBlockers<TDefinitions[TTypeName]>
>;

type BlockerNames<TBlockers extends readonly unknown[]> = {
  readonly [TIndex in keyof TBlockers]: BlockerName<TBlockers[TIndex]>;
};
