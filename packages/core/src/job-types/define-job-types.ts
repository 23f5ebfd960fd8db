import type { JobTypeCatalogue, RuntimeCatalogue } from "./catalogue.ts";
import type { CheckedDefinitions } from "./definition-errors.ts";

declare const definitions: unique symbol;

/**
 * Job types: their definitions for the compiler and, if given, their catalogue for the run time.
 */
export interface JobTypes<TDefinitions> {
  readonly catalogue: RuntimeCatalogue | undefined;
  /** For the compiler only. */
  readonly [definitions]?: TDefinitions;
}

/** The definitions of a `JobTypes`. The type helpers take `typeof jobTypes` as well. */
export type JobTypeDefinitionsOf<TJobTypes> =
  TJobTypes extends JobTypes<infer TDefinitions> ? TDefinitions : never;

/**
 * Defines the job types of an application, all in one type:
 *
 * ```ts
 * const jobTypes = defineUnionJobTypes<{
 *   resize: { input: { path: string }; output: DefineContinuationOutput<"publish"> };
 *   publish: { input: DefineContinuationInput<{ url: string }>; output: { publishedAt: Date } };
 * }>();
 * ```
 *
 * The optional catalogue holds the same at run time. Wrong names, wrong continuations and (with
 * schemas) wrong payloads are then refused even without a compiler.
 */
export const defineUnionJobTypes = <TDefinitions extends CheckedDefinitions<TDefinitions>>(
  catalogue?: JobTypeCatalogue<TDefinitions>,
): JobTypes<TDefinitions> => ({
  // Only the names of the types are given up here; the compiler has checked every entry.
  catalogue: catalogue as RuntimeCatalogue | undefined,
});
