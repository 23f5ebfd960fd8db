// The inputs of the load's jobs beside its trees: jobs that wait for signals, jobs that wait for more starts, and ticks.
import { errandTypeNames } from "./errand-types.ts";

export interface WaiterInput {
  /** Of its signal. */
  readonly key: string;
  /** Null: it waits without end. */
  readonly waitAtMostMs: number | null;
}

export interface DebouncedInput {
  /** Of its own: no other start or update writes it. */
  readonly text: string;
  readonly maxWaitMs: number | null;
}

export const controlTypeNames: readonly string[] = [
  ...["waiter", "approval", "debounced", "tick"],
  ...errandTypeNames,
];

/** The jobs of trees, whose inputs are plans. */
export const treeTypeNames: readonly string[] = ["step", "gather"];
