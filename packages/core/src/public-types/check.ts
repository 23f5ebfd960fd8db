import type { JobStatus } from "../model/status.ts";

/** How far `check` looks. */
export interface CheckOptions {
  /** The most jobs of each type whose inputs are read, the oldest first. Default: 10,000. */
  readonly examineMax?: number | undefined;
  /** Ends the check early: it rejects with the signal's reason. Default: none. */
  readonly signal?: AbortSignal | undefined;
}

/** The unfinished jobs of one type, against the job types of this build. */
export interface CheckedType<TJobId extends string = string> {
  readonly typeName: string;
  /** Unfinished jobs in the store: blocked, pending or running. */
  readonly jobCount: number;
  /** Unfinished jobs of each status. */
  readonly statuses: Readonly<
    Record<Extract<JobStatus, "blocked" | "pending" | "running">, number>
  >;
  /** When the oldest of them was created. */
  readonly oldestAt: Date;
  /** This build defines no job type of this name, nor of this former name: its jobs wait for ever. */
  readonly isUnknown: boolean;
  /** Defined names that are close to an unknown one, the nearest first. */
  readonly nearTypeNames: readonly string[];
  /** Inputs that were read and compared with the schema; 0 without a schema. */
  readonly examined: number;
  /** Inputs that the schema refuses, and that no upcast accepts. */
  readonly refused: number;
  /** The first issues, each with its place: `input.locale: Required`. They are the words of your schema library. */
  readonly issues: readonly string[];
  /** Some of the jobs that were found: the oldest of an unknown type, or the first that were refused. */
  readonly jobIds: readonly TJobId[];
}

/** The result of `check`. */
export interface CheckReport<TJobId extends string = string> {
  /** Every type is defined, and no input that was read is refused. */
  readonly isWell: boolean;
  /** Each type with unfinished jobs, by name. */
  readonly types: readonly CheckedType<TJobId>[];
}
