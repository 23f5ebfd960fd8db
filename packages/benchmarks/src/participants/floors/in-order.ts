import type { Pool } from "pg";

/** Runs statements of one connection one after the other: each when the last was answered, or all sent at once. */
export const inOrder = async (
  pool: Pool,
  statements: readonly (() => Promise<unknown>)[],
): Promise<void> => {
  if (pool.options.pipeline === true) {
    await Promise.all(statements.map((run) => run()));
    return;
  }
  for (const run of statements) await run();
};
