// The races of the contract when the transactions of users run at stricter levels: serialization failures may surface,
// and running the transaction again helps; nothing is lost or duplicated.
import { extendWithCommon, stateRacesTestSuite } from "queuert/testing";
import { describe, it } from "vitest";
import { extendWithStatePostgres } from "../src/testing.ts";
import { connectPgAtLevel, lazyDatabaseUrl, servers } from "./fixtures.ts";

for (const [name, databases] of servers) {
  for (const level of ["REPEATABLE READ", "SERIALIZABLE"]) {
    describe(`${level} on ${name}`, () => {
      const url = lazyDatabaseUrl(databases);
      stateRacesTestSuite({
        it: extendWithStatePostgres(extendWithCommon(it), {
          connect: async () => connectPgAtLevel(await url(), level),
        }),
      });
    });
  }
}
