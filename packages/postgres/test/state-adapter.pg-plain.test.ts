// The plain provider of `pg`, with BEGIN and COMMIT in exchanges of their own.
import { providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import { extendWithCommon, stateAdapterTestSuite } from "queuert/testing";
import { describe, it } from "vitest";
import { createPgPoolStateProvider } from "../src/providers/pg.ts";
import { extendWithStatePostgres } from "../src/testing.ts";
import { gapsAfterTransactions } from "./ended-transactions.ts";
import { lazyDatabaseUrl } from "./fixtures.ts";

const url = lazyDatabaseUrl(providedPostgres);

describe("pg without the single exchange", () => {
  stateAdapterTestSuite({
    gaps: gapsAfterTransactions,
    it: extendWithStatePostgres(extendWithCommon(it), {
      connect: async () => {
        const pool = new pg.Pool({ connectionString: await url(), max: 40 });
        const provider = createPgPoolStateProvider(pool, { singleExchange: false });
        return { provider, close: () => pool.end() };
      },
    }),
  });
});
