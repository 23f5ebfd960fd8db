import type { TestAPI } from "vitest";
import { createInProcessStateAdapter } from "../in-process/create-in-process-state-adapter.ts";
import { extendWithState } from "./extend-with-state.ts";
import type { StateTestContext } from "./extend-with-state.ts";
import type { StateAdapterHarness } from "./state-harness.ts";

/** Opens a store in this process's memory. */
export const openInProcessState = (): Promise<StateAdapterHarness> =>
  Promise.resolve({
    stateAdapter: createInProcessStateAdapter(),
    close: () => Promise.resolve(),
  });

/** The in-process store: a new one for each test. */
export const extendWithStateInProcess = <TContext extends object>(
  it: TestAPI<TContext>,
): TestAPI<TContext & StateTestContext> => extendWithState(it, openInProcessState);
