import { expect } from "vitest";
import type { CommonTestContext } from "./extend-with-common.ts";
import type { StateTestContext } from "./extend-with-state.ts";
import { runStateCase } from "./state-harness.ts";
import type { StateCaseContext } from "./state-harness.ts";
import { limitKeyRaceSuites, limitKeySuites, stateRaceSuites, stateSuites } from "./state/index.ts";
import type { StateSuite } from "./state-suite.ts";
import { describeSuites } from "./suite.ts";
import type { SuiteCase, SuiteGap, SuiteIt } from "./suite.ts";

export type StateSuiteFixtures = Pick<StateTestContext, "stateHarness"> &
  Pick<CommonTestContext, "seed">;

export interface StateTestSuiteOptions {
  /** Extended with `extendWithCommon` and the `extendWithState…` of the adapter. */
  readonly it: SuiteIt<StateSuiteFixtures>;
  /** Rules the store does not keep, each with its reason. */
  readonly gaps?: readonly SuiteGap[] | undefined;
  /** Why the store has no `limitKeys`. Left out: it has them, and their suites run. */
  readonly withoutLimitKeys?: string | undefined;
}

const toBody =
  (test: SuiteCase<StateCaseContext>) =>
  async ({ stateHarness, seed }: StateSuiteFixtures): Promise<void> =>
    runStateCase(test.run, stateHarness, seed);

/** Registers some suites of the state contract; `stateAdapterTestSuite` registers all of them. */
export const describeStateSuites = (
  suites: readonly StateSuite[],
  { it, gaps }: StateTestSuiteOptions,
): void => {
  describeSuites({ it, suites, gaps, toBody });
};

/** Everything a state adapter promises: every method, and the races between them. */
export const stateAdapterTestSuite = (options: StateTestSuiteOptions): void => {
  const suites = [...Object.values(stateSuites).flat(), ...stateRaceSuites];
  const keys = options.withoutLimitKeys === undefined ? limitKeySuites : [];
  describeStateSuites([...suites, ...keys, ...racesOfKeys(options)], options);
  if (options.withoutLimitKeys !== undefined) describeMissingKeys(options);
};

const racesOfKeys = ({ withoutLimitKeys }: StateTestSuiteOptions): readonly StateSuite[] =>
  withoutLimitKeys === undefined ? limitKeyRaceSuites : [];

const describeMissingKeys = ({ it, withoutLimitKeys = "" }: StateTestSuiteOptions): void => {
  it(`has no limits by key: ${withoutLimitKeys}`, async ({ stateHarness }) => {
    expect(stateHarness.stateAdapter.limitKeys).toBeUndefined();
  });
};

/** The races alone, such as for running them many times over. */
export const stateRacesTestSuite = (options: StateTestSuiteOptions): void => {
  describeStateSuites([...stateRaceSuites, ...racesOfKeys(options)], options);
};
