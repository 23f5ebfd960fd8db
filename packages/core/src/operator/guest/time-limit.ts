// Reads of an operator are given up after a time. Stores end the statement, too: see `limited-reads.ts`. The slot of a read is free
// when the database has answered, so no more than a few run at a time.
import { rejectAfter } from "../../async/time-limit.ts";
import { StatementTimeoutError } from "../../errors.ts";
import { OperatorTimeoutError } from "../operator-errors.ts";

type Method = (...args: never[]) => unknown;

/** The same reads, each of which rejects after the time. The time contains that of waiting for a slot. */
export const withTimeLimit = <TReads extends object>(reads: TReads, timeoutMs: number): TReads =>
  Object.fromEntries(
    Object.entries(reads).map(([name, read]: [string, unknown]) => [
      name,
      typeof read === "function" ? limited(name, read as Method, timeoutMs) : read,
    ]),
    // Each method keeps its type.
  ) as TReads;

const limited =
  (name: string, read: Method, timeoutMs: number): Method =>
  (...args) => {
    const answer = read(...args);
    return answer instanceof Promise
      ? rejectAfter(
          inWordsOf(name, timeoutMs, answer),
          timeoutMs,
          () => new OperatorTimeoutError(name, timeoutMs),
        )
      : answer;
  };

/** The error of a statement that the store has ended, under the name of the operation. */
export const inWordsOf = <TValue>(
  name: string,
  timeoutMs: number,
  answer: Promise<TValue>,
): Promise<TValue> =>
  answer.catch((error: unknown) => {
    throw error instanceof StatementTimeoutError
      ? new OperatorTimeoutError(name, timeoutMs, { cause: error })
      : error;
  });
