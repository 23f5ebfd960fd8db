// The options and the result of `torture`.
import type { AnyStateAdapter, Queuert, QueuertOptions, StateAdapter } from "queuert";

/** A fault: a worker is killed or stands still, a statement or its answer is lost, a notification is lost or comes twice. */
export type TortureFault = "kill" | "freeze" | "statement" | "notification";

/** An adapter of any context and id type. */
export type AnyAdapter = StateAdapter<object, object, string>;

/** The argument of `start`. */
export interface StartContext<TDefinitions, TStateAdapter extends AnyAdapter> {
  /** A client of the application, whose statements may fail. */
  readonly queuert: Queuert<TDefinitions, TStateAdapter>;
  /** From 0 to `starts - 1`. */
  readonly index: number;
  /** Follows from the seed: from 0 to below 1. */
  readonly random: () => number;
}

/** A worker builder with its job types, not started. */
interface WorkerBuilder {
  use(middleware: never): WorkerBuilder;
  start(options: never): Promise<unknown>;
}

/** The options of `torture`, besides those of `createQueuert`. */
export interface TortureOptions<TDefinitions, TStateAdapter extends AnyAdapter> extends Omit<
  QueuertOptions<TDefinitions, TStateAdapter>,
  "stateAdapter"
> {
  /** Makes a worker with its job types, not started. Called for each worker, also for those in the place of killed ones. */
  readonly worker: (
    queuert: Queuert<NoInfer<TDefinitions>, NoInfer<TStateAdapter>>,
  ) => WorkerBuilder;
  /**
   * Starts work: one sequence, or several in an array. Only a start that resolves counts. It is called while statements fail, so
   * it may reject.
   */
  readonly start: (
    context: StartContext<NoInfer<TDefinitions>, NoInfer<TStateAdapter>>,
  ) => Promise<{ readonly id: string } | readonly { readonly id: string }[]>;
  /**
   * The store, which has no jobs of others while this runs. Give job types a short lease: the jobs of a killed worker wait for
   * its end. Default: in memory, with a clock that jumps from timer to timer, so hours take milliseconds.
   */
  readonly stateAdapter?: TStateAdapter | undefined;
  /** Draws the faults. The same seed gives the same run in memory. Default 1. */
  readonly seed?: number | undefined;
  /** How many times `start` is called. Default 30. */
  readonly starts?: number | undefined;
  /** How many workers there are at any time. Default 2. */
  readonly workers?: number | undefined;
  /** Which faults there are. Default: all. */
  readonly faults?: readonly TortureFault[] | undefined;
  /** How long after the faults no job may end before the run is given up, in milliseconds. Default 60,000. */
  readonly stillMs?: number | undefined;
  /** Rules of your own, after everything has ended: a sentence for each that is broken. Default: none. */
  readonly check?: (() => Promise<readonly string[]>) | undefined;
}

/** A broken promise, and where. */
export interface TortureViolation {
  readonly rule: string;
  readonly detail: string;
}

/** The result of `torture`. */
export interface TortureReport {
  /** Empty: every promise was kept. */
  readonly violations: readonly TortureViolation[];
  readonly seed: number;
  /** The jobs that were stored. */
  readonly jobs: number;
  /** How many times a process function began. */
  readonly attempts: number;
  /** How many times each fault was injected. */
  readonly faults: Readonly<Record<TortureFault, number>>;
}

/** As the run sees them: payload types aside. */
export interface UntypedOptions extends Omit<
  TortureOptions<unknown, AnyAdapter>,
  "stateAdapter" | "worker" | "start"
> {
  readonly stateAdapter?: AnyStateAdapter | undefined;
  readonly worker: (queuert: object) => UntypedBuilder;
  readonly start: (context: {
    readonly queuert: object;
    readonly index: number;
    readonly random: () => number;
  }) => Promise<{ readonly id: string } | readonly { readonly id: string }[]>;
}

export interface UntypedBuilder {
  use(middleware: unknown): UntypedBuilder;
  start(options: object): Promise<unknown>;
}
