import type { CancelDependants } from "../adapters/state-adapter-params.ts";

export type { CancelDependants } from "../adapters/state-adapter-params.ts";

/** Which sequences are cancelled, and how the sequences around them are treated. */
export interface CancelJobSequencesOptions<TJobId extends string = string> {
  /** The sequences: blocked, pending, running or failed. */
  readonly ids: readonly TJobId[];
  /**
   * Also the sequences that were started for them, and for those in turn. One that a job outside
   * waits for is left as it is. Default true.
   */
  readonly tree?: boolean | undefined;
  /**
   * The jobs outside that wait for a cancelled sequence. `"refuse"` (default): nothing is cancelled, and the
   * call rejects with `JobSequencesStillBlockingError`. `"fail"`: they fail, and the jobs that wait for
   * them in turn. `"cancel"`: their sequences are cancelled too.
   */
  readonly dependants?: CancelDependants | undefined;
  /** Stored with each cancelled job. At most 1,000 characters. Default: none. */
  readonly reason?: string | undefined;
}

/** The numbers of one cancellation. */
export interface CancelJobSequencesResult<TJobId extends string = string> {
  /** Jobs that were cancelled: one for each sequence. */
  readonly cancelled: number;
  /** Those of them that were running. Their handlers are told by their signals. */
  readonly running: number;
  /** Jobs that failed because they waited for a cancelled sequence. */
  readonly failed: number;
  /** Ids that were left out. `already_ended`: completed, or cancelled before. */
  readonly refused: readonly {
    readonly id: TJobId;
    readonly reason: "not_found" | "already_ended";
  }[];
}
