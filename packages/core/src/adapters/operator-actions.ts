// Actions of operators, as a store keeps them.

/** How long actions are kept, in milliseconds. */
export const actionsKeptMs: number = 90 * 24 * 60 * 60_000;

/** An action of an operator on several jobs. */
export interface ActionRecord {
  /** That of the plan. */
  readonly id: string;
  readonly action: string;
  /** The person or program that applied the plan; null: not named. */
  readonly user: string | null;
  /** The filter of the plan; null for a plan of ids. */
  readonly filter: string | null;
  /** That of the plan. */
  readonly count: number;
}

/** An action as it is stored. */
export interface StoredAction extends ActionRecord {
  readonly startedAt: Date;
  /** Null: it is under way, or its process has ended. */
  readonly finishedAt: Date | null;
  readonly done: number;
  readonly refused: number;
}
