// An end for driver calls that never settle. If a socket closes just before the driver (7.8) writes to it,
// the driver listens for the close too late, and waits for ever. A server that restarts
// closes all its sockets at once, and a worker that waits without an end would be lost.
import { limits, rejectAfter } from "queuert/internal";
import { MongoNoAnswerError } from "./errors.ts";

/** For a statement: longer than any should take, since a late statement may be stored. */
export const defaultAnswerTimeoutMs = 60_000;

/** Rejects as after a lost connection if `run` has not settled in time. A late result is ignored. */
export const withDriverTimeout = async <T>(timeoutMs: number, run: () => Promise<T>): Promise<T> =>
  // A longer timer would be due at once.
  rejectAfter(
    run(),
    Math.min(timeoutMs, limits.timerMsMax),
    () => new MongoNoAnswerError(timeoutMs),
  );
