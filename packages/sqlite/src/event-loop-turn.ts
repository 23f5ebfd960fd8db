// Drivers for SQLite are synchronous, and `await` of a settled promise stays in the current turn of the event loop. A worker
// would therefore delay timers and signals until its backlog is empty. Every step ends a turn that has lasted long enough.

// Long enough that the cost cannot be measured, short enough for timers.
const turnMs = 5;

let startedAt: number | null = null;

const end = (): void => {
  startedAt = null;
};

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Null in a young turn, otherwise a promise for the next turn. */
export const endLongTurn = (): Promise<void> | null => {
  if (startedAt === null) {
    startedAt = performance.now();
    // Runs once this turn is over, however it ends. Nothing waits for it, so it keeps no process alive.
    setImmediate(end).unref();
    return null;
  }
  return performance.now() - startedAt < turnMs ? null : nextTurn();
};
