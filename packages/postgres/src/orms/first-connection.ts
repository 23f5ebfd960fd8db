// Kysely's dialect for postgres.js reserves a connection for each statement. `sql.reserve()` of postgres.js 3.4 never resolves on a
// client with `fetch_types: false`. So the first connection is waited for only so long, and the remedy is named.
import { PgFirstConnectionError } from "../errors.ts";

/** To be called with the connection, before it is used. It throws if the wait was given up meanwhile. */
export type TakeConnection = () => void;

// A pool that has no connection for the first statement of a process is rare, and a server answers in less.
const waitMs = 10_000;

/** Runs calls that take a connection each. Rejects those that wait too long for the first one. */
export const createFirstConnectionWatch = (): (<T>(
  call: (take: TakeConnection) => Promise<T>,
) => Promise<T>) => {
  let isKnown = false;
  const known = (): void => {
    isKnown = true;
  };
  return (call) => (isKnown ? call(known) : waitFor(call, known));
};

const waitFor = <T>(call: (take: TakeConnection) => Promise<T>, known: () => void): Promise<T> =>
  new Promise((resolve, reject) => {
    let givenUp: PgFirstConnectionError | undefined;
    const timer = setTimeout(() => {
      givenUp = new PgFirstConnectionError(waitMs);
      reject(givenUp);
    }, waitMs);
    const take = (): void => {
      clearTimeout(timer);
      known();
      if (givenUp !== undefined) throw givenUp;
    };
    // A call that fails has had an answer, too.
    call(take)
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });
