import type { StateCaseContext } from "./state-harness.ts";
import { defineSuite } from "./suite.ts";
import type { SuiteRule, Suite } from "./suite.ts";

export type StateSuite = Suite<StateCaseContext>;

/** A suite over one store. */
export const defineStateSuite = (
  name: string,
  define: (rule: SuiteRule<StateCaseContext>) => void,
): StateSuite => defineSuite(name, define);
