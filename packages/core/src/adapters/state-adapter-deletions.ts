// The parameters and results of `deleteSequences` and `deleteFinishedSequences` of StateAdapter.
import type { StateJobReference } from "../model/state-job.ts";
import type { BlockerEdge } from "./state-adapter-queries.ts";

/** The argument of `deleteSequences`. */
export interface DeleteSequencesParams<TTxContext, TJobId> {
  readonly context: TTxContext;
  readonly rootSequenceIds: readonly TJobId[];
}

/** The result of `deleteSequences`: all were deleted, or none. */
export type DeleteSequencesResult =
  /** `running`: deleted jobs whose holders have to be notified. Ids that do not exist are not an error. */
  | {
      readonly kind: "deleted";
      readonly jobCount: number;
      readonly running: readonly StateJobReference[];
    }
  /** Checked before the dependants. */
  | { readonly kind: "notRoots"; readonly sequenceIds: readonly string[] }
  | { readonly kind: "blocking"; readonly edges: readonly BlockerEdge[] };

/** The argument of `deleteFinishedSequences`. */
export interface DeleteFinishedParams {
  readonly completedForMs: number | null;
  readonly failedForMs: number | null;
  readonly cancelledForMs: number | null;
  /** Root trees. */
  readonly limit: number;
}
