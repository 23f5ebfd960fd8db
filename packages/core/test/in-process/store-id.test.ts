import { createInProcessStateAdapter } from "queuert";
import { expect, it } from "vitest";

it("differs between two stores", async () => {
  const ids = Array.from({ length: 20 }, () => createInProcessStateAdapter().getStoreId());
  expect(new Set(await Promise.all(ids)).size).toBe(20);
});
