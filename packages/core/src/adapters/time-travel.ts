/**
 * Moves a store in time, for tests. It comes from the subpath `/test` of a store's package. No adapter has it as a method, so that
 * an application does not reach it by accident.
 */
export interface TimeTravel {
  /**
   * Moves every instant that the store holds into the past, in one transaction. For its jobs, so much time has passed.
   * - The adapter forgets the instants that it remembers.
   */
  shiftTimes(ms: number): Promise<void>;
}

/** Refuses to move a store in time where `NODE_ENV` is `production`. */
export const assertNotInProduction = (operation: string): void => {
  if (process.env["NODE_ENV"] !== "production") return;
  throw new Error(
    `${operation} is for tests, and NODE_ENV is "production": it would change the due times of real jobs.`,
  );
};
