import { PGlite } from "@electric-sql/pglite";
import { expect, it } from "vitest";
import { createPgStateAdapter } from "../src/index.ts";
import { createPgliteStateProvider } from "../src/providers/pglite.ts";
import { extendWithCommon, extendWithState, stateAdapterTestSuite } from "queuert/testing";
import { clearSql } from "../src/testing/state-postgres.ts";
import { beginByCallback } from "./fixtures.ts";

// One connection, so no two transactions at a time, and no second process: the suites ask the capabilities.
stateAdapterTestSuite({
  gaps: [
    {
      rule: "a read without its context does not wait for an open transaction of the same process",
      reason: "PGlite has one connection",
    },
  ],
  it: extendWithState(extendWithCommon(it), async () => {
    const db = await PGlite.create();
    const stateAdapter = await createPgStateAdapter({
      stateProvider: createPgliteStateProvider(db),
    });
    expect(await stateAdapter.migrateToLatest()).not.toEqual([]);
    return {
      stateAdapter,
      beginUsersTransaction: () =>
        beginByCallback((callback) => db.transaction((tx) => callback({ client: tx }))),
      clear: async () => {
        await db.exec(clearSql);
      },
      poisonTransaction: async (context) => {
        const { client } = context as { client: { query(sql: string): Promise<unknown> } };
        await client.query("SELECT * FROM no_such_table").then(
          () => Promise.reject(new Error("The table exists.")),
          () => undefined,
        );
      },
      close: () => db.close(),
    };
  }),
});
