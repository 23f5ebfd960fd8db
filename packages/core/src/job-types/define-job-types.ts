import type { JobTypeCatalogue, RuntimeCatalogue } from "./catalogue.ts";
import type { CheckedDefinitions } from "./definition-errors.ts";
import type { CodedDefinitions } from "./markers.ts";

declare const definitions: unique symbol;

/**
 * Job types: their definitions for the compiler and, if given, their catalogue for the run time.
 */
export interface JobTypes<TDefinitions> {
  readonly catalogue: RuntimeCatalogue | undefined;
  /** Whether a client of these types needs `payloads.codec`. Default: false. */
  readonly isCoded?: true;
  /** For the compiler only. */
  readonly [definitions]?: TDefinitions;
}

/** The definitions of a `JobTypes`. The type helpers take `typeof jobTypes` as well. */
export type JobTypeDefinitionsOf<TJobTypes> =
  TJobTypes extends JobTypes<infer TDefinitions> ? TDefinitions : never;

/**
 * Defines the job types of an application, all in one type. The optional catalogue holds the same at run time. Wrong names,
 * wrong continuations and (with schemas) wrong payloads are then refused even without a compiler.
 *
 * @example
 * ```ts
 * const jobTypes = defineUnionJobTypes<{
 *   resize: { input: { path: string }; output: DefineContinuationOutput<"publish"> };
 *   publish: { input: DefineContinuationInput<{ url: string }>; output: { publishedAt: Date } };
 * }>();
 * ```
 */
export const defineUnionJobTypes = <TDefinitions extends CheckedDefinitions<TDefinitions>>(
  catalogue?: JobTypeCatalogue<TDefinitions>,
): JobTypes<TDefinitions> => ({
  // Only the names of the types are given up here; the compiler has checked every entry.
  catalogue: catalogue as RuntimeCatalogue | undefined,
});

/**
 * The same for a client with a payload codec (`payloads.codec`). Payloads are then not limited to JSON, and are read as they
 * were written: a `Date` as a `Date`.
 *
 * @example
 * ```ts
 * const jobTypes = defineCodedJobTypes<{ bill: { input: { due: Date }; output: bigint } }>();
 * ```
 */
export const defineCodedJobTypes = <
  TDefinitions extends CheckedDefinitions<CodedDefinitions<TDefinitions>>,
>(
  catalogue?: JobTypeCatalogue<CodedDefinitions<TDefinitions>>,
): JobTypes<CodedDefinitions<TDefinitions>> => ({
  catalogue: catalogue as RuntimeCatalogue | undefined,
  isCoded: true,
});
