// Suites of the methods for operators. Each method is optional, so a store names those that it has.
import { expect } from "vitest";
import type { OperatorStore } from "../../adapters/operator-store.ts";
import { describeSuites, defineSuite } from "../suite.ts";
import type { Suite, SuiteRule } from "../suite.ts";
import type { StateTestSuiteOptions } from "../describe-state-adapter.ts";
import { runStateCase } from "../state-harness.ts";
import type { StateCaseContext } from "../state-harness.ts";

export interface OperatorCaseContext extends StateCaseContext {
  readonly operator: Required<OperatorStore>;
}

export type OperatorSuite = Suite<OperatorCaseContext>;

/** A suite over one method. */
export const defineOperatorSuite = (
  name: string,
  define: (rule: SuiteRule<OperatorCaseContext>) => void,
): OperatorSuite => defineSuite(name, define);

export type OperatorMethod = keyof OperatorStore;

export interface OperatorTestSuiteOptions extends StateTestSuiteOptions {
  /** The methods that the store has. A method that is missing here, or missing there, fails the suite. */
  readonly methods: readonly OperatorMethod[];
}

/** Registers the suites of the methods that a store has. */
export const describeOperatorSuites = (
  suites: Readonly<Record<OperatorMethod, OperatorSuite>>,
  others: readonly OperatorSuite[],
  { it, gaps, methods }: OperatorTestSuiteOptions,
): void => {
  const declared = defineOperatorSuite("methods", (rule) => {
    rule("are those that the store declares", async ({ operator }) => {
      expect(Object.keys(operator).sort()).toEqual([...methods].sort());
    });
  });
  describeSuites({
    it,
    gaps,
    suites: [declared, ...methods.map((method) => suites[method]), ...others],
    toBody:
      (test) =>
      async ({ stateHarness, seed }) =>
        runStateCase(
          (context) => {
            const { operator } = context.stateAdapter;
            if (operator === undefined) throw new Error("The store has no methods for operators");
            // Only suites of methods that the store declares are run.
            return test.run({ ...context, operator: operator as Required<OperatorStore> });
          },
          stateHarness,
          seed,
        ),
  });
};
