// Drivers for SQLite are synchronous, and a promise that is settled already is awaited without leaving the current
// turn of the event loop. A worker that drains a backlog would keep timers and signals waiting until the
// backlog is empty; so every step asks here first, and a turn that has lasted long enough is ended.

// Long enough that ending turns costs nothing one can measure, short enough for timers.
const turnMs = 5;

let startedAt: number | null = null;

const end = (): void => {
  startedAt = null;
};

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Null while the turn is young; else a promise for the next turn. */
export const endLongTurn = (): Promise<void> | null => {
  if (startedAt === null) {
    startedAt = performance.now();
    // Runs once this turn is over, however it ends. Nothing waits for it, so it keeps no process alive.
    setImmediate(end).unref();
    return null;
  }
  return performance.now() - startedAt < turnMs ? null : nextTurn();
};
