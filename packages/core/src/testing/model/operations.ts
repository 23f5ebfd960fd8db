// The operations of the model test, as plain values: they can be generated, shrunk, and printed for
// a reader. A job is named by a number modulo the number of jobs, so that every list of operations
// has a meaning.
export type ModelSchedule = "now" | "past" | "far";
export type ModelLease = "current" | "stale" | "none";

export interface ModelJob {
  readonly typeName: string;
  readonly priority: number;
  readonly schedule: ModelSchedule;
  readonly key: "once" | "ever" | null;
  readonly onBlockerFailure: "wait" | "fail";
  readonly input: string;
}

export interface ModelCompletion {
  readonly job: number;
  readonly lease: ModelLease;
  /** Null: ends with an output. */
  readonly next: ModelJob | null;
}

/** The operations that are possible inside a transaction as well as outside. */
export type ModelWrite =
  | { readonly kind: "create"; readonly jobs: readonly ModelJob[]; readonly under: number | null }
  | { readonly kind: "createBlocked"; readonly job: ModelJob; readonly blockers: readonly number[] }
  | { readonly kind: "complete"; readonly completions: readonly ModelCompletion[] }
  | {
      readonly kind: "reschedule";
      readonly job: number;
      readonly lease: ModelLease;
      readonly schedule: Exclude<ModelSchedule, "now"> | null;
      readonly countsAttempt: boolean;
      readonly error: string | null;
    }
  | { readonly kind: "fail"; readonly job: number; readonly lease: ModelLease }
  | { readonly kind: "retry"; readonly job: number }
  | { readonly kind: "trigger"; readonly job: number }
  | {
      readonly kind: "cancel";
      readonly jobs: readonly number[];
      readonly tree: boolean;
      readonly dependants: "refuse" | "fail" | "cancel";
    }
  | { readonly kind: "lock"; readonly job: number }
  | { readonly kind: "delete"; readonly jobs: readonly number[] }
  | { readonly kind: "deleteById"; readonly job: number }
  | { readonly kind: "look"; readonly jobs: readonly number[]; readonly descending: boolean };

export type ModelOperation =
  | ModelWrite
  | { readonly kind: "acquire"; readonly typeName: string; readonly limit: number }
  | { readonly kind: "renew"; readonly job: number; readonly lease: ModelLease }
  | {
      readonly kind: "loseLease";
      readonly typeName: string;
      readonly how: "reclaim" | "acquire" | "complete";
    }
  | {
      readonly kind: "transaction";
      readonly writes: readonly ModelWrite[];
      readonly commits: boolean;
    };

export const modelTypeNames: readonly string[] = ["a", "b"];
