// The commands of the harness to a measured process, and its replies. Messages are plain data: they
// cross a pipe.
import type { NewSchedules, Target, Workload } from "../participants/participant.ts";

export interface ProcessMetrics {
  /** User and system time, in ms. */
  readonly cpuMs: number;
  /** Mean and highest delay of the event loop beyond its turn, in ms. */
  readonly lagMeanMs: number;
  readonly lagMaxMs: number;
  readonly rssMb: number;
  readonly peakRssMb: number;
}

/** Every command with its arguments and its result. */
export interface Commands {
  open: (options: {
    participant: string;
    target: Target;
    prepare: boolean;
    payloadBytes?: number | undefined;
  }) => void;
  startMany: (options: { workload: Workload; unitCount: number; atOnce: number }) => void;
  /** Answers how long it took, in ms. */
  startSingly: (options: { count: number; callers: number; inTransaction?: boolean }) => number;
  startBulk: (options: { count: number; atOnce: number }) => number;
  storeSchedules: (options: NewSchedules) => void;
  startPaced: (options: { count: number; everyMs: number; limitMs: number }) => number;
  work: (options: {
    workload: Workload;
    concurrency: number;
    workerCount: number;
    idleTypeCount?: number;
  }) => void;
  stopWork: (options: Record<string, never>) => void;
  /** How many handlers have run since the last time, and how long each had waited. */
  takeRuns: (options: Record<string, never>) => { latencies: readonly number[] };
  /** Begins to count, and returns the counts. */
  resetMetrics: (options: Record<string, never>) => void;
  metrics: (options: Record<string, never>) => ProcessMetrics;
  /** Before workers start: counts statements from here on, where the process itself has to. */
  countStatements: (options: Record<string, never>) => void;
  statementCount: (options: Record<string, never>) => number;
  unfinishedCount: (options: Record<string, never>) => number;
  drainedAt: (options: Record<string, never>) => number | undefined;
  close: (options: Record<string, never>) => void;
}

export type CommandName = keyof Commands;
export type CommandOptions<TName extends CommandName> = Parameters<Commands[TName]>[0];
export type CommandAnswer<TName extends CommandName> = ReturnType<Commands[TName]>;

export interface Request {
  readonly id: number;
  readonly name: CommandName;
  readonly options: unknown;
}

export type Reply =
  | { readonly kind: "answer"; readonly id: number; readonly value: unknown }
  | { readonly kind: "error"; readonly id: number; readonly message: string }
  /** Unasked, a few times a second while handlers run. */
  | { readonly kind: "progress"; readonly ran: number };
