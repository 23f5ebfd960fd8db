import { providedPostgres } from "@queuert/test-services/provided";
import { extendWithCommon, stateAdapterTestSuite } from "queuert/testing";
import { describe, it } from "vitest";
import { extendWithStatePostgres } from "../src/testing.ts";
import { connectPg, lazyDatabaseUrl } from "./fixtures.ts";

describe("pg with pipelining", () => {
  const url = lazyDatabaseUrl(providedPostgres);
  stateAdapterTestSuite({
    it: extendWithStatePostgres(extendWithCommon(it), {
      connect: async () => connectPg(await url(), { pipeline: true }),
    }),
  });
});
