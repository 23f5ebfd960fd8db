// The interface of a case to the harness: how one round of one participant is measured.
import type {
  FillCounts,
  Inspector,
  Participant,
  Target,
  Workload,
} from "../participants/participant.ts";
import type { MeasuredProcess } from "../run/measured-process.ts";

/** How much of everything; smaller with `--quick` and in tests. */
export interface Sizes {
  readonly drainJobs: number;
  readonly warmUpJobs: number;
  readonly starts: number;
  readonly warmUpStarts: number;
  readonly bulkStarts: number;
  readonly warmUpBulks: number;
  readonly latencyStarts: number;
  readonly latencyWarmUps: number;
  readonly steadySeconds: number;
  readonly finished: number;
  readonly scheduled: number;
  readonly blocked: number;
  /** Of the larger table. */
  readonly manyFinished: number;
  readonly manyScheduled: number;
  readonly manyOfOtherType: number;
  readonly memoryJobs: number;
  /** Jobs of a key in front of those of the others. */
  readonly noisyJobs: number;
  readonly schedules: number;
  readonly soakSeconds: number;
  readonly heldJobs: number;
  readonly idleSeconds: number;
  /** A participant that has not drained by then is measured by the jobs that it has done. */
  readonly limitMs: number;
  readonly heldLimitMs: number;
}

export interface Round {
  readonly name: string;
  readonly participant: Participant;
  readonly target: Target;
  readonly sizes: Sizes;
  readonly concurrency: number;
  readonly processCount: number;
  /** Starts a measured process and opens the participant in it; the first one prepares the target. */
  readonly openProcess: () => Promise<MeasuredProcess>;
  /** Looks at the store from outside, or through the first process where only that can. */
  readonly inspect: () => Promise<Inspector>;
}

/** Figures by unit. The first is the one that the case is about. */
export type Measured = Readonly<Record<string, number>>;

export interface RoundResult {
  readonly measured: Measured;
  /** Where the time went, per job; for the report beside the table. */
  readonly breakdown?: Measured;
}

export interface Case {
  readonly name: string;
  /** Whether more is better in its first unit. */
  readonly isRate: boolean;
  readonly participants: readonly string[];
  /** Of a drain: participants without it take no part. */
  readonly workload?: Workload;
  /** Filled once for all rounds of a participant, since that takes longer than the round. */
  readonly fill?: (sizes: Sizes) => FillCounts;
  /** About so many bytes in each payload; 100 if left out. */
  readonly payloadBytes?: number;
  /** How long a round may take, its filling included, if five minutes are too few. */
  readonly patienceMs?: number;
  /** Also measured at other concurrencies and with two processes in a full run. */
  readonly hasVariants?: boolean;
  readonly measure: (round: Round) => Promise<RoundResult>;
}
