// The writing connection: one transaction at a time, in the order in which they were asked for.
import type { SqliteConnection } from "../connection.ts";
import { SqliteClosedError } from "../errors.ts";
import { endLongTurn } from "../event-loop-turn.ts";
import { createTransactionBounds } from "./transaction-bounds.ts";
import { createWriterGate } from "./writer-gate.ts";

export interface Writer {
  /** Runs the body between `BEGIN IMMEDIATE` and `COMMIT`, or `ROLLBACK` when it throws. */
  transact<T>(body: () => T | Promise<T>): Promise<T>;
  isClosed(): boolean;
  /** Waits for those who asked before, and refuses whoever asks after. */
  close(closeConnections: () => void): Promise<void>;
}

export const createWriter = (
  filename: string,
  connection: SqliteConnection,
  busyTimeoutMs: number,
): Writer => {
  const gate = createWriterGate(busyTimeoutMs);
  const { begin, commit, rollback } = createTransactionBounds(filename, connection, busyTimeoutMs);
  let closed = false;

  const enter = (): (() => void) | Promise<() => void> => {
    if (closed) throw new SqliteClosedError();
    const long = endLongTurn();
    return (long === null ? gate.tryEnter() : null) ?? enterLater(long);
  };

  const enterLater = async (long: Promise<void> | null): Promise<() => void> => {
    if (long !== null) await long;
    const release = gate.tryEnter() ?? (await gate.enter());
    if (!closed) return release;
    release();
    throw new SqliteClosedError();
  };

  return {
    transact: async (body) => {
      const entered = enter();
      const release = entered instanceof Promise ? await entered : entered;
      let isBegun = false;
      try {
        const begun = begin();
        if (begun instanceof Promise) await begun;
        isBegun = true;
        const result = body();
        const value = result instanceof Promise ? await result : result;
        const committed = commit();
        if (committed instanceof Promise) await committed;
        return value;
      } catch (error) {
        // What is open otherwise is somebody else's.
        if (isBegun) rollback();
        throw error;
      } finally {
        release();
      }
    },
    isClosed: () => closed,
    close: async (closeConnections) => {
      if (closed) return;
      const release = gate.tryEnter() ?? (await gate.enter());
      closed = true;
      closeConnections();
      release();
    },
  };
};
