import type { RunningWorker } from "queuert";
import { type LoadSurroundings, maxAttempts, runPlan } from "./run-plan.ts";

export interface LoadWorkerOptions {
  readonly leaseMs: number;
  readonly timeoutMs: number;
  readonly pollIntervalMs: number;
  readonly concurrency: number;
  /** For how long completed jobs are kept. */
  readonly retentionMs: number;
}

/** Starts the load's worker: the plan in each job's input decides its actions, for every type. */
export const startLoadWorker = (
  surroundings: LoadSurroundings,
  { leaseMs, timeoutMs, pollIntervalMs, concurrency, retentionMs }: LoadWorkerOptions,
): Promise<RunningWorker> => {
  const { queuert, processName } = surroundings;
  const common = {
    leaseConfig: { leaseMs },
    retryConfig: { initialDelayMs: 50, maxDelayMs: 500, maxAttempts },
    timeoutMs,
    // The two contexts differ in their types only, which are the load's own affair.
    process: (context: unknown): Promise<never> => runPlan(surroundings, context as never),
  };
  return queuert
    .createWorker()
    .implementJobType({ ...common, typeName: "step" })
    .implementJobType({ ...common, typeName: "gather" })
    .start({
      workerId: processName,
      concurrency,
      pollIntervalMs,
      reapIntervalMs: pollIntervalMs,
      retention: { completedForMs: retentionMs, intervalMs: 2 * pollIntervalMs },
      shutdownTimeoutMs: 5_000,
      // Faults begin before the worker does.
      waitForStore: true,
    });
};
