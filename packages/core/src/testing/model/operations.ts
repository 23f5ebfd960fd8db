// The operations of the model test, as plain values: they can be generated, shrunk, and printed for
// a reader. A job is named by a number modulo the number of jobs, so that every list of operations
// has a meaning.
export type ModelSchedule = "now" | "past" | "far";
export type ModelLease = "current" | "stale" | "none";

/** A key of the limit of the run. Jobs under keys have a type of their own. */
export type ModelLimitKey = "one" | "two";

export interface ModelJob {
  readonly typeName: string;
  readonly limitKey: ModelLimitKey | null;
  /** Of its start, under a key. */
  readonly cost: number;
  /** An id that the caller gives, of a few. Only where a sequence starts, without blockers. */
  readonly id: number | null;
  readonly priority: number;
  readonly schedule: ModelSchedule;
  readonly key: "once" | "ever" | null;
  readonly onBlockerFailure: "wait" | "fail" | "continue";
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
  | {
      /** Null: kept. A key only for a job under one. */
      readonly kind: "update";
      readonly job: number;
      readonly input: string | null;
      readonly schedule: Exclude<ModelSchedule, "now"> | null;
      readonly priority: number | null;
      readonly limitKey: ModelLimitKey | null;
    }
  | { readonly kind: "lock"; readonly job: number }
  | { readonly kind: "delete"; readonly jobs: readonly number[] }
  | { readonly kind: "deleteById"; readonly job: number }
  | { readonly kind: "look"; readonly jobs: readonly number[]; readonly descending: boolean };

export type ModelOperation =
  | ModelWrite
  | {
      readonly kind: "acquire";
      readonly typeName: string;
      readonly limit: number;
      /** How many jobs a batch waits for; null: no batch. */
      readonly minSize: number | null;
    }
  /** The bounds of each key. `burst`: of a rate whose tokens come back long after the run; null: no rate. */
  | {
      readonly kind: "boundKeys";
      readonly concurrency: number | null;
      readonly burst: number | null;
    }
  /** Of one key. Null: that of each key. */
  | {
      readonly kind: "boundKey";
      readonly key: ModelLimitKey;
      readonly concurrency: number | null;
      readonly isPaused: boolean;
    }
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

export const modelLimitKeys: readonly ModelLimitKey[] = ["one", "two"];

/** The type of jobs under keys. An acquisition takes all of them that it may: which key comes first is left open. */
export const keyedTypeName = "keyed";
