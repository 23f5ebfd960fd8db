// A driver call that is never answered. The driver waits for ever for a socket that closes while it is about to write to it:
// the close is over when it begins to listen for it (driver 7.8). A server that restarts closes all its sockets at once, and
// a worker that waits so is lost. So nothing here is waited for without an end.
import { limits, withinTime } from "queuert/internal";
import { MongoNoAnswerError } from "./errors.ts";

/** Of a statement. Longer than any takes, since it may be stored all the same. */
export const defaultAnswerTimeoutMs = 60_000;

/** What `run` answers; as after a lost connection when it has not answered in time. A late answer is ignored. */
export const answered = async <T>(timeoutMs: number, run: () => Promise<T>): Promise<T> =>
  // A longer timer would be due at once.
  withinTime(
    run(),
    Math.min(timeoutMs, limits.timerMsMax),
    () => new MongoNoAnswerError(timeoutMs),
  );
