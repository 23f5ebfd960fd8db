import { afterAll } from "vitest";
import type { TestAPI } from "vitest";
import type { AnyStateAdapter } from "../adapters/state-adapter.ts";
import { createHarnessPool } from "./harness-pool.ts";
import type { StateAdapterHarness } from "./state-harness.ts";

/** Fixtures of a store, empty at the start of each test. */
export interface StateTestContext {
  readonly stateHarness: StateAdapterHarness;
  readonly stateAdapter: AnyStateAdapter;
  /** As another process would have it; the same adapter where the store lives in this process's memory. */
  readonly secondStateAdapter: AnyStateAdapter;
  readonly runInTransaction: AnyStateAdapter["runInTransaction"];
}

/** The pattern of every `extendWithState…`: give it a function that opens the store. */
export const extendWithState = <TContext extends object>(
  it: TestAPI<TContext>,
  open: () => Promise<StateAdapterHarness>,
): TestAPI<TContext & StateTestContext> => {
  const pool = createHarnessPool(open);
  afterAll(() => pool.close());
  const extended = it.extend<StateTestContext>({
    // Vitest reads the needs of a fixture from this pattern, so it has to be one, also when it is empty.
    // oxlint-disable-next-line no-empty-pattern
    stateHarness: async ({}, use) => {
      const harness = await pool.take();
      await use(harness);
      await pool.giveBack(harness);
    },
    stateAdapter: async ({ stateHarness }, use) => {
      await use(stateHarness.stateAdapter);
    },
    secondStateAdapter: async ({ stateHarness }, use) => {
      await use(stateHarness.secondStateAdapter ?? stateHarness.stateAdapter);
    },
    runInTransaction: async ({ stateHarness }, use) => {
      await use((callback) => stateHarness.stateAdapter.runInTransaction(callback));
    },
  });
  // Vitest's own type of `extend` nests one intersection per call; this one is the same and stays readable.
  return extended as unknown as TestAPI<TContext & StateTestContext>;
};
