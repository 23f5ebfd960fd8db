// One history for a rule of the checker, with one violation of it planted.
import type { History } from "../../src/checker/history.ts";

export interface Planted {
  readonly rule: string;
  readonly how: string;
  /** What else is broken by it, as there is no other way. */
  readonly besides?: readonly string[];
  readonly history: History;
}
