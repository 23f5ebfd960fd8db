// The races of the contract when the transactions of users run at stricter levels. Serialization failures may surface, and
// running the transaction again helps. Nothing is lost or duplicated. One case makes the strictest level the database's
// default, which is then the level of workers.
import { extendWithCommon, stateRacesTestSuite } from "queuert/testing";
import { describe, it } from "vitest";
import { extendWithStatePostgres } from "../../src/testing.ts";
import { connectPg, connectPgAtLevel, lazyDatabaseUrl, servers } from "../fixtures.ts";

// Of eighty statements at once the server refuses many, and some more often than a call is retried by default. A worker
// goes on for more than a minute; so do these.
const adapter = { connectionRetryConfig: { maxRetries: 100, maxDelayMs: 200 } };

for (const [name, databases] of servers) {
  for (const level of ["REPEATABLE READ", "SERIALIZABLE"]) {
    describe(`${level} on ${name}`, () => {
      const url = lazyDatabaseUrl(databases);
      stateRacesTestSuite({
        it: extendWithStatePostgres(extendWithCommon(it), {
          connect: async () => connectPgAtLevel(await url(), level),
          adapter,
        }),
      });
    });
  }
  describe(`SERIALIZABLE by default on ${name}`, () => {
    const url = lazyDatabaseUrl(databases);
    const options = "-c default_transaction_isolation=serializable";
    stateRacesTestSuite({
      it: extendWithStatePostgres(extendWithCommon(it), {
        connect: async () => connectPg(await url(), { options }),
        adapter,
      }),
    });
  });
}
