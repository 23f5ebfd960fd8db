// The conditions by which operators look for jobs. A filter is a list of conditions, all of which hold. The filter language,
// the stores and the in-process matcher read the same union.
import type { JsonText } from "../model/state-job.ts";
import type { JobStatus } from "../model/status.ts";

/** Fields that are compared with whole texts. A job without the field does not match. */
export type TextField =
  | "typeName"
  | "sequenceTypeName"
  | "sequenceId"
  | "rootSequenceId"
  | "originId"
  | "deduplicationKey"
  | "leasedBy"
  | "completedBy"
  | LimitField;

/** The limit and the key that a job stands under, which only its store knows. A store without `limitKeys` has no such job. */
export type LimitField = "limitName" | "limitKey";

/** Texts in which a part is looked for. Upper and lower case differ. */
export type SearchedField = "input" | "output" | "lastAttemptError";

/** States that are derived from several fields, by the clock of the store. */
export type DerivedState =
  /** Not finished. */
  | "open"
  /** Pending, and its due time has come. */
  | "due"
  /** Pending, and its due time is later. */
  | "scheduled"
  /** Pending after an attempt that counted. */
  | "retrying"
  /** Running, and its lease has expired. */
  | "stalled"
  /** The first job of a root sequence. */
  | "root";

/** One condition of a search. All must hold. */
export type JobCondition = { readonly negated: boolean } & (
  | { readonly field: "id"; readonly anyOf: readonly string[] }
  | { readonly field: "idPrefix"; readonly anyOf: readonly string[] }
  | { readonly field: "text"; readonly of: TextField; readonly anyOf: readonly string[] }
  | { readonly field: "status"; readonly anyOf: readonly JobStatus[] }
  | { readonly field: "is"; readonly anyOf: readonly DerivedState[] }
  /** Both bounds are inclusive. */
  | {
      readonly field: "number";
      readonly of: "attempt" | "priority";
      readonly min: number | null;
      readonly max: number | null;
    }
  /** From inclusive, to exclusive. */
  | {
      readonly field: "time";
      readonly of: "createdAt" | "finishedAt";
      readonly from: Date | null;
      readonly to: Date | null;
    }
  /** Any of the texts is part of any of the fields. */
  | {
      readonly field: "contains";
      readonly of: readonly SearchedField[];
      readonly anyOf: readonly string[];
    }
  /**
   * The value at a path of the input equals one of these JSON texts of a string, a number, a boolean or null. The operator layer
   * compares it; stores do not receive it.
   */
  | {
      readonly field: "inputAt";
      readonly path: readonly string[];
      readonly anyOf: readonly JsonText[];
    }
);

/** The conditions that stores receive. */
export type StoreCondition = Exclude<JobCondition, { readonly field: "inputAt" }>;
