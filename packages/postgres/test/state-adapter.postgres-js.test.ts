import postgres from "postgres";
import { extendWithCommon, stateAdapterTestSuite } from "queuert/testing";
import { describe, it } from "vitest";
import { providedPostgres } from "@queuert/test-services/provided";
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

// The driver changes its answers before it returns them.
describe("postgres.js with transform: postgres.camel, and values of another kind", () => {
  const url = lazyDatabaseUrl(providedPostgres);
  const transform = {
    ...postgres.camel,
    value: { from: (value: unknown) => (value === null ? undefined : { value }) },
  };
  stateAdapterTestSuite({
    it: extendWithStatePostgres(extendWithCommon(it), {
      connect: async () => connectPostgresJs(await url(), { transform }),
    }),
  });
});
