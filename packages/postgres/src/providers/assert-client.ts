// Another value in the place of a client, in calls that no compiler has checked. A client is recognised by its methods,
// because its class may come from any version or copy of the driver.
import { hasMethods } from "queuert/internal";
import { PgInvalidOptionError } from "../errors.ts";

/** A `Client` has both methods, too, and one connection. */
export const assertPool = (pool: unknown): void => {
  if (
    !hasMethods(pool, ["connect", "query"]) ||
    (pool as { options?: unknown }).options === undefined
  ) {
    throw new PgInvalidOptionError("pool", "a `Pool` of `pg`, not a client or a connection string");
  }
};

/** A transaction and a reserved connection of this driver can do the same but for `begin`. */
export const assertPostgresJs = (sql: unknown, option = "sql"): void => {
  if (typeof sql !== "function" || !hasMethods(sql, ["unsafe", "begin", "end"])) {
    const expected =
      "the return value of `postgres(…)` of postgres.js, not a transaction of it or a pool of `pg`";
    throw new PgInvalidOptionError(option, expected);
  }
};

/** A transaction of this driver has no `transaction`. */
export const assertPglite = (client: unknown): void => {
  if (!hasMethods(client, ["query", "transaction"])) {
    throw new PgInvalidOptionError("client", "a `PGlite`, not a transaction or a pool of `pg`");
  }
};
