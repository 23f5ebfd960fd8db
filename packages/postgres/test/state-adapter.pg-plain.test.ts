// The plain provider of `pg`, with BEGIN and COMMIT in exchanges of their own.
import { providedPostgres } from "@queuert/test-services/provided";
import { extendWithCommon, stateAdapterTestSuite } from "queuert/testing";
import { describe, it } from "vitest";
import { extendWithStatePostgres } from "../src/testing.ts";
import { connectPg, lazyDatabaseUrl } from "./fixtures.ts";

const url = lazyDatabaseUrl(providedPostgres);

describe("pg without the single exchange", () => {
  stateAdapterTestSuite({
    it: extendWithStatePostgres(extendWithCommon(it), {
      connect: async () => connectPg(await url(), {}, { singleExchange: false }),
    }),
  });
});
