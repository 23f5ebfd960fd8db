// The parts of the operator layer that a store has. A face leaves out the rest.
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";

/** The parts that a store has. */
export interface OperatorFeatures {
  /** The registry of workers. */
  readonly workers: boolean;
  /** The attempts of a job that did not complete it. */
  readonly attempts: boolean;
  /** The lines that attempts logged, and the progress of jobs. */
  readonly logs: boolean;
  /** The counts of attempts by minute and by hour. */
  readonly metrics: boolean;
  /** The record of applied plans. */
  readonly actions: boolean;
  /** The number of jobs before one, in `explain`. */
  readonly ahead: boolean;
  /** The checks of its server or its file, in `checkHealth`. */
  readonly health: boolean;
  /** The keys of limits. */
  readonly limitKeys: boolean;
  /** Hints of other processes, through a notify adapter. */
  readonly hints: boolean;
}

export const featuresOf = (
  { operator, limitKeys }: AnyStateAdapter,
  hasNotifyAdapter: boolean,
): OperatorFeatures => ({
  workers: operator?.listWorkers !== undefined,
  attempts: operator?.listAttempts !== undefined,
  logs: operator?.listLogs !== undefined && operator.listProgress !== undefined,
  metrics: operator?.listMetrics !== undefined,
  actions: operator?.listActions !== undefined,
  ahead: operator?.countAhead !== undefined,
  health: operator?.checkHealth !== undefined,
  limitKeys: limitKeys !== undefined && operator?.listLimitKeys !== undefined,
  hints: hasNotifyAdapter,
});
