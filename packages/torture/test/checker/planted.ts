// One history for a rule of the checker, with one violation of it planted.
import type { History } from "../../src/checker/history.ts";

export interface Planted {
  readonly rule: string;
  readonly how: string;
  /** The other rules that the same history breaks, as it cannot break one alone. */
  readonly besides?: readonly string[];
  readonly history: History;
}
