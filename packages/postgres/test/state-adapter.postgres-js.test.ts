import { extendWithCommon, stateAdapterTestSuite } from "queuert/testing";
import { describe, it } from "vitest";
import { extendWithStatePostgres } from "../src/testing.ts";
import { connectPostgresJs, lazyDatabaseUrl, servers } from "./fixtures.ts";

for (const [name, databases] of servers) {
  describe(`postgres.js on ${name}`, () => {
    const url = lazyDatabaseUrl(databases);
    stateAdapterTestSuite({
      it: extendWithStatePostgres(extendWithCommon(it), {
        connect: async () => connectPostgresJs(await url()),
      }),
    });
  });
}
