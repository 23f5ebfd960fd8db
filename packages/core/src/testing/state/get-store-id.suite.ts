import { expect } from "vitest";
import { defineStateSuite } from "../state-suite.ts";
import type { StateSuite } from "../state-suite.ts";

export const getStoreIdSuite: StateSuite = defineStateSuite("getStoreId", (rule) => {
  rule(
    "The identity of the store: 8 to 16 characters of `a` to `z` and `0` to `9`.",
    async ({ stateAdapter }) => {
      expect(await stateAdapter.getStoreId()).toMatch(/^[a-z0-9]{8,16}$/);
    },
  );

  rule(
    "The same for every adapter on the store.",
    async ({ stateAdapter, secondStateAdapter, steps }) => {
      const storeIds = await Promise.all([
        stateAdapter.getStoreId(),
        secondStateAdapter.getStoreId(),
      ]);
      await steps.createOne();
      const later = await stateAdapter.getStoreId();
      expect(new Set([...storeIds, later]).size).toBe(1);
    },
  );
});
