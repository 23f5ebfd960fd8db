import { defineSuite, type Suite, type SuiteRule } from "../suite.ts";
import type { BehaviourCaseContext } from "./behaviour-case.ts";

export type BehaviourSuite = Suite<BehaviourCaseContext>;

/** A suite over a state adapter and a notify adapter. */
export const defineBehaviourSuite = (
  name: string,
  define: (rule: SuiteRule<BehaviourCaseContext>) => void,
): BehaviourSuite => defineSuite(name, define);
