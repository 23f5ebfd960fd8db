// Stores that are each wrong in one way libraries of this kind have been wrong in. A suite that lets one of them pass
// proves nothing.
import type { AnyStateAdapter } from "../../../src/adapters/state-adapter.ts";
import type { StateAdapterMethod } from "../../../src/testing/state/index.ts";

/** Makes a broken adapter of a good one. */
export type Breaker = (good: AnyStateAdapter) => AnyStateAdapter;

/** By the method whose suites must find the defect, and by the defect. */
export type Breakers<TMethod extends StateAdapterMethod = StateAdapterMethod> = Readonly<
  Record<TMethod, Readonly<Record<string, Breaker>>>
>;
