// Limits as users write and read them, and the methods of the client for them.
import type { JobInput } from "../job-types/job-of.ts";

/** At most `count` starts in `perMs`, over all workers. */
export interface LimitRate {
  /** 1 to 1,000,000. */
  readonly count: number;
  /** At most 30 days. */
  readonly perMs: number;
  /**
   * How many may start at once after a rest. In any `perMs` at most `count + burst - 1` start. Default: a twentieth of
   * `count`, at least 1.
   */
  readonly burst?: number | undefined;
}

/** Bounds over all workers of all processes. */
export interface LimitBounds {
  /** How many jobs run at once. 0 starts none. Default: no bound. */
  readonly concurrency?: number | null | undefined;
  /** How many jobs start in a time. Attempts count, retries too. A start counts as its `cost`. Default: no bound. */
  readonly rate?: LimitRate | null | undefined;
}

/** A limit of a job type, or one that several types share. */
export interface LimitDefinition extends LimitBounds {
  /** The bounds of each of its keys. Default: none; keys still take turns. */
  readonly perKey?: LimitBounds | undefined;
  /**
   * So many milliseconds since its due time count as one level of a job's priority, so that low priorities do not wait for
   * ever. Default: they do not count.
   */
  readonly agingMs?: number | null | undefined;
}

/** The limit and the key that jobs of a type stand under. */
export interface JobTypeLimit<TInput> {
  /** The name of the limit. Several types may share it. Default: the name of the job type. */
  readonly limit?: string | undefined;
  /**
   * The key of a job, such as its customer: 1 to 255 characters. Jobs of different keys take turns. It is derived when the job is
   * stored. Default: all jobs of the limit have one key.
   */
  readonly key?: ((job: { readonly input: TInput }) => string) | undefined;
  /** How many starts of a rate the job counts as, at most as many as the burst. Default: 1. */
  readonly cost?: ((job: { readonly input: TInput }) => number) | undefined;
}

/** The options of a client for limits. */
export interface LimitsOptions<TDefinitions> {
  /** By job type, or by the name of a shared limit. Written when the client is created, if they have changed since. Default: none. */
  readonly declared?: { readonly [TName in LimitName<TDefinitions>]?: LimitDefinition };
  /** The limit and the key of job types. Default: each type stands under the limit of its own name, without keys. */
  readonly jobTypes?: {
    readonly [TTypeName in keyof TDefinitions & string]?: JobTypeLimit<
      JobInput<TDefinitions, TTypeName>
    >;
  };
  /** The revision of the code. A declaration of a lower one does not replace that of a higher one. Default 0. */
  readonly revision?: number | undefined;
}

/** A job type, or the name of a limit that several types share. */
export type LimitName<TDefinitions> = (keyof TDefinitions & string) | (string & {});

/** A limit as it is stored, with its use. */
export interface Limit<TName extends string = string> {
  /** The job type, or the name that several types share. */
  readonly name: TName;
  readonly concurrency: number | null;
  readonly rate: Required<LimitRate> | null;
  /** The bounds of each of its keys. */
  readonly perKey: {
    readonly concurrency: number | null;
    readonly rate: Required<LimitRate> | null;
  };
  readonly agingMs: number | null;
  /** How many of its jobs run. */
  readonly running: number;
  /** How many jobs may start now; null without a rate. */
  readonly tokens: number | null;
  /** Declared in code at some time. */
  readonly isDeclared: boolean;
  /** The revision of the code that declared it. */
  readonly revision: number | null;
  readonly updatedAt: Date;
}

/** How one key of a limit differs from the others. */
export interface LimitKeyBounds extends LimitBounds {
  /** How many of its jobs start in its turn: 1 to 100. Default 1. */
  readonly weight?: number | undefined;
}

/** A key of a limit, with its use. */
export interface LimitKey {
  /** The name of the limit. */
  readonly limit: string;
  readonly key: string;
  /** The bound that holds for the key: its own, or that of its limit. */
  readonly concurrency: number | null;
  readonly rate: Required<LimitRate> | null;
  readonly weight: number;
  /** Whether `setLimitKeys` has set some of these. */
  readonly hasOwnBounds: boolean;
  readonly isPaused: boolean;
  /** Null: until `resume`, if it is paused. */
  readonly pausedUntil: Date | null;
  readonly pauseNote: string | null;
  /** How many of its jobs run. */
  readonly running: number;
  /** How many of its jobs wait, due or not. */
  readonly pending: number;
  /** How many starts the rate has left; null without a rate. */
  readonly tokens: number | null;
}

/** The methods of a client for limits. */
export interface LimitMethods<TDefinitions> {
  /**
   * Sets limits of job types, each as a whole: a bound that is left out is gone. They hold in every process when the call
   * has resolved. Running jobs go on.
   */
  setLimits(options: {
    readonly limits: readonly ({
      readonly name: LimitName<TDefinitions>;
    } & LimitDefinition)[];
  }): Promise<void>;

  /**
   * Deletes limits, with the bounds and pauses of their keys. Returns the names that existed. Running jobs go on. A declared limit is
   * written again when a client is created.
   */
  deleteLimits(options: {
    readonly names: readonly LimitName<TDefinitions>[];
  }): Promise<readonly string[]>;

  /** The limits that are stored, by name. */
  getLimits(options?: {
    /** Default: all. */
    readonly names?: readonly LimitName<TDefinitions>[] | undefined;
  }): Promise<readonly Limit<LimitName<TDefinitions>>[]>;

  /** Gives keys of limits bounds of their own, each as a whole. One without bounds has those of its limit again. */
  setLimitKeys(options: {
    readonly keys: readonly ({
      readonly limit: LimitName<TDefinitions>;
      readonly key: string;
    } & LimitKeyBounds)[];
  }): Promise<void>;

  /** Keys of a limit with their use, by key. */
  getLimitKeys(options: {
    readonly limit: LimitName<TDefinitions>;
    /** Default: those with bounds of their own, and those that are paused. */
    readonly keys?: readonly string[] | undefined;
  }): Promise<readonly LimitKey[]>;
}
