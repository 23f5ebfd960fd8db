// SQLite has no server that counts statements, so the driver counts them in the process. Only the case that needs it
// turns it on: it costs a little of every call.
import type BetterSqlite3 from "better-sqlite3";

let count = 0;

export const statementCount = (): number => count;

/** For stores that are in the process: each operation counts as a statement. */
export const countStatement = (): void => {
  count += 1;
};

/** Counts every call of a prepared statement from now on, whenever it was prepared. */
export const countSqliteStatements = (Driver: typeof BetterSqlite3): void => {
  const db = new Driver(":memory:");
  // All statements of the driver share this object; its types do not say so.
  const prototype = Object.getPrototypeOf(db.prepare("SELECT 1")) as Record<
    string,
    (...args: unknown[]) => unknown
  >;
  for (const name of ["run", "get", "all", "iterate"]) {
    const original = prototype[name];
    if (original === undefined) continue;
    prototype[name] = function counted(this: unknown, ...args: unknown[]) {
      count += 1;
      return original.apply(this, args);
    };
  }
  db.close();
};
