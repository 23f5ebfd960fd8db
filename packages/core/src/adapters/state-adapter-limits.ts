// The parameters and results of the methods about limits. A limit has the name of the job type that it stands for, or a name that
// several types share.

/** At most `count` starts in `perMs`, and `burst - 1` more. */
export interface StateRate {
  readonly count: number;
  readonly perMs: number;
  /** How many may start at once after a rest. */
  readonly burst: number;
}

/** Null: no bound. */
export interface StateBounds {
  /** How many jobs may hold an unexpired lease. */
  readonly concurrency: number | null;
  readonly rate: StateRate | null;
}

/** A limit, as the store keeps it. */
export interface StateLimit extends StateBounds {
  readonly name: string;
  /** The bounds of each of its keys. Left out: none. */
  readonly perKey?: StateBounds | undefined;
  /** So many milliseconds since the due time count as one level of priority. Left out or null: none do. */
  readonly agingMs?: number | null | undefined;
}

/** A key of a limit. */
export interface LimitKeyReference {
  readonly limitName: string;
  readonly key: string;
}

/** Bounds of one key. Null: that of its limit. */
export interface StateKeyBounds extends StateBounds {
  /** How many jobs it starts in its turn. */
  readonly weight: number;
}

/** A limit that is declared in code. */
export interface LimitDeclaration {
  readonly hash: string;
  readonly revision: number;
}

// setLimits

/** The argument of `setLimits`. */
export interface SetLimitsParams {
  readonly limits: readonly (StateLimit & {
    /** Null: set at run time. */
    readonly declaration: LimitDeclaration | null;
  })[];
}

// deleteLimits

/** The argument of `deleteLimits`. */
export interface DeleteLimitsParams {
  readonly names: readonly string[];
}

// getLimits

/** The argument of `getLimits`. */
export interface GetLimitsParams {
  /** Null: all of them. */
  readonly names: readonly string[] | null;
}

/** A limit with its use: the jobs that run, and the permits that are left. */
export interface StateLimitState extends StateLimit {
  /** Null: it was never declared. */
  readonly declaration: LimitDeclaration | null;
  readonly updatedAt: Date;
  /** The jobs that hold an unexpired lease. */
  readonly running: number;
  /** How many jobs the rate lets start now; null without a rate. */
  readonly tokens: number | null;
}

/** When the jobs of a type may be acquired together. Left out: a job is acquired as soon as it is due. */
export interface BatchCondition {
  readonly minSize: number;
  readonly maxWaitMs: number;
  /** The jobs of one key wait for each other, and are acquired together. Left out: jobs under keys do not wait. */
  readonly perKey?: boolean | undefined;
}
