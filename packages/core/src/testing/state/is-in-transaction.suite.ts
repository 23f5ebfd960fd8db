import { expect } from "vitest";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

export const isInTransactionSuite: StateSuite = defineStateSuite("isInTransaction", (rule) => {
  rule("true for the context of an open transaction", async ({ stateAdapter, openTransaction }) => {
    const { context, steps, commit } = await openTransaction();
    expect(await stateAdapter.isInTransaction(context)).toBe(true);
    await steps.createOne();
    expect(await stateAdapter.isInTransaction(context)).toBe(true);
    await commit();
  });

  rule("false outside", async ({ stateAdapter, openTransaction }) => {
    const transaction = await openTransaction();
    await stateAdapter.provideContext(async (context) => {
      expect(await stateAdapter.isInTransaction(context)).toBe(false);
    });
    await transaction.commit();
  });

  rule(
    "the context may be spread into another object, as users do",
    async ({ stateAdapter, openTransaction }) => {
      const { context, commit } = await openTransaction();
      const spread = { ...context, of: "the user's own" };
      expect(await stateAdapter.isInTransaction(spread)).toBe(true);
      await stateAdapter.createJobs({ context: spread, jobs: [] });
      await commit();
    },
  );

  rule(
    "false for a context without a connection, or with something else in its place",
    async (test) => {
      for (const stranger of [
        {},
        { client: null, sql: null },
        { client: {}, sql: {}, session: {} },
      ]) {
        expect(await test.stateAdapter.isInTransaction(stranger)).toBe(false);
      }
    },
  );

  rule("false once it has ended", async ({ stateAdapter, openTransaction }) => {
    for (const end of ["commit", "rollback"] as const) {
      const transaction = await openTransaction();
      await transaction[end]();
      expect(await stateAdapter.isInTransaction(transaction.context)).toBe(false);
    }
  });
});
