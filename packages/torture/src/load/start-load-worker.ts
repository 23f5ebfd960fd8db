import type { RunningWorker } from "queuert";
import { bulkBatch } from "./errand-types.ts";
import { runBulk, runErrand } from "./run-errand.ts";
import { runDebounced, runTick, runWaiter } from "./run-control.ts";
import { type LoadSurroundings, maxAttempts, runPlan } from "./run-plan.ts";

export interface LoadWorkerOptions {
  readonly leaseMs: number;
  readonly timeoutMs: number;
  readonly pollIntervalMs: number;
  readonly concurrency: number;
  /** For how long completed and cancelled jobs are kept. */
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
  // These end some day, however often they fail for a fault.
  const patient = {
    leaseConfig: { leaseMs },
    retryConfig: { initialDelayMs: 50, maxDelayMs: 500, maxAttempts: Infinity },
  };
  const errand = {
    ...patient,
    process: (context: unknown): Promise<never> => runErrand(surroundings, context as never),
  };
  return queuert
    .createWorker()
    .implementJobType({ ...common, typeName: "step" })
    .implementJobType({ ...common, typeName: "gather" })
    .implementJobType({
      ...{ ...patient, typeName: "waiter" },
      process: (context: unknown): Promise<never> => runWaiter(surroundings, context as never),
    })
    .implementJobType({
      ...{ ...patient, typeName: "debounced" },
      process: (context: unknown): Promise<never> => runDebounced(surroundings, context as never),
    })
    .implementJobType({
      ...{ ...patient, typeName: "tick" },
      process: (context: unknown): Promise<never> => runTick(surroundings, context as never),
    })
    .implementJobType({ ...errand, typeName: "errand" })
    .implementJobType({ ...errand, typeName: "courier" })
    .implementJobTypeBatch({
      ...{ ...patient, typeName: "bulk", batch: bulkBatch },
      process: (context: unknown): Promise<never> => runBulk(surroundings, context as never),
    })
    .start({
      workerId: processName,
      concurrency,
      pollIntervalMs,
      reapIntervalMs: pollIntervalMs,
      retention: {
        ...{ completedForMs: retentionMs, cancelledForMs: retentionMs },
        intervalMs: 2 * pollIntervalMs,
      },
      shutdownTimeoutMs: 5_000,
      // Faults begin before the worker does.
      waitForStore: true,
    });
};
