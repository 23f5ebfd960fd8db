// Which of its two routines acquires is the store's own decision: both answer for all of the contract.
import { providedPostgres } from "@queuert/test-services/provided";
import { extendWithCommon, stateAdapterTestSuite, stateModelTestSuite } from "queuert/testing";
import { describe, it } from "vitest";
import { extendWithStatePostgres } from "../src/testing.ts";
import { gapsAfterTransactions } from "./ended-transactions.ts";
import { acquiringAtLength, connectPg, lazyDatabaseUrl } from "./fixtures.ts";

describe("pg, acquiring at length", () => {
  const url = lazyDatabaseUrl(providedPostgres);
  const extended = extendWithStatePostgres(extendWithCommon(it), {
    connect: async () => {
      const { provider, close } = await connectPg(await url());
      return { provider: acquiringAtLength(provider), close };
    },
  });
  stateAdapterTestSuite({ it: extended, gaps: gapsAfterTransactions });
  stateModelTestSuite({ it: extended });
});
