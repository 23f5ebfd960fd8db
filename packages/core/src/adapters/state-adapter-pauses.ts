// The parameters and results of the methods about pauses.

/** A job type or the name of a limit; null: every type. */
export interface PauseTarget {
  readonly typeName: string | null;
}

/** The argument of `pause`. */
export interface PauseParams {
  readonly targets: readonly PauseTarget[];
  /** Null: until it is resumed. */
  readonly forMs: number | null;
  readonly note: string | null;
  /** A pause that ends later stays as it is. Left out: it is replaced. */
  readonly extends?: boolean | undefined;
}

/** A pause, as the store keeps it. */
export interface StatePause extends PauseTarget {
  readonly pausedAt: Date;
  /** Null: until it is resumed. */
  readonly until: Date | null;
  readonly note: string | null;
}
