import { extendWithCommon, stateAdapterTestSuite } from "queuert/testing";
import { describe, it } from "vitest";
import { extendWithStatePostgres } from "../src/testing.ts";
import { connectPg, lazyDatabaseUrl, servers } from "./fixtures.ts";

for (const [name, databases] of servers) {
  describe(`pg on ${name}`, () => {
    const url = lazyDatabaseUrl(databases);
    stateAdapterTestSuite({
      it: extendWithStatePostgres(extendWithCommon(it), {
        connect: async () => connectPg(await url()),
      }),
    });
  });
}
