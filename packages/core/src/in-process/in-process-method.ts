import type { StateAdapter } from "../adapters/state-adapter.ts";
import type { InProcessContext } from "./database.ts";

/** The state adapter that keeps jobs in this process's memory. */
export type InProcessStateAdapter = StateAdapter<InProcessContext, InProcessContext, string>;

/** One method of it. */
export type InProcessMethod<TName extends keyof InProcessStateAdapter> =
  InProcessStateAdapter[TName];
