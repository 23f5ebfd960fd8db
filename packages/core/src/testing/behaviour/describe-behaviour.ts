// The door: one function per suite, and one for all of them.
import type { PayloadCodec } from "../../model/payload.ts";
import type { CommonTestContext } from "../extend-with-common.ts";
import { describeSuites, type SuiteCase, type SuiteGap, type SuiteIt } from "../suite.ts";
import {
  type BehaviourCaseContext,
  type BehaviourPair,
  runBehaviourCase,
} from "./behaviour-case.ts";
import type { BehaviourSuite } from "./behaviour-suite.ts";
import { behaviourSuites } from "./index.ts";

export type BehaviourSuiteFixtures = BehaviourPair & Pick<CommonTestContext, "seed">;

export interface BehaviourTestSuiteOptions {
  /** Extended with `extendWithCommon`, an `extendWithState…` and an `extendWithNotify…`. */
  readonly it: SuiteIt<BehaviourSuiteFixtures>;
  /** Rules that the pair does not keep, each with its reason. */
  readonly gaps?: readonly SuiteGap[] | undefined;
  /** The codec of all clients. Default: none. */
  readonly codec?: PayloadCodec | undefined;
}

export type BehaviourTestSuite = (options: BehaviourTestSuiteOptions) => void;

const toBody =
  (codec: PayloadCodec | undefined) =>
  (test: SuiteCase<BehaviourCaseContext>) =>
  async ({
    stateHarness,
    notifyAdapter,
    secondNotifyAdapter,
    seed,
  }: BehaviourSuiteFixtures): Promise<void> =>
    runBehaviourCase(test.run, { stateHarness, notifyAdapter, secondNotifyAdapter, codec }, seed);

/** Registers some suites. */
export const describeBehaviourSuites = (
  suites: readonly BehaviourSuite[],
  { it, gaps, codec }: BehaviourTestSuiteOptions,
): void => {
  describeSuites({ it, suites, gaps, toBody: toBody(codec) });
};

const doorTo =
  (...suites: readonly BehaviourSuite[]): BehaviourTestSuite =>
  (options) =>
    describeBehaviourSuites(suites, options);

const all = behaviourSuites;

export const startTestSuite: BehaviourTestSuite = doorTo(all.starting);
export const sequencesTestSuite: BehaviourTestSuite = doorTo(all.continuing);
export const blockersTestSuite: BehaviourTestSuite = doorTo(all.blocking);
export const processTestSuite: BehaviourTestSuite = doorTo(
  all.preparing,
  all.processing,
  all.committing,
  all.afterCommit,
  all.logging,
);
export const retryTestSuite: BehaviourTestSuite = doorTo(all.retrying);
export const leasesTestSuite: BehaviourTestSuite = doorTo(all.leases, all.ownLeases);
export const transactionTestSuite: BehaviourTestSuite = doorTo(all.transacting);
export const retentionTestSuite: BehaviourTestSuite = doorTo(all.retaining);
export const scheduleTestSuite: BehaviourTestSuite = doorTo(all.scheduling);
export const deduplicationTestSuite: BehaviourTestSuite = doorTo(all.deduplicating);
export const waitTestSuite: BehaviourTestSuite = doorTo(all.awaiting);
export const workerlessCompletionTestSuite: BehaviourTestSuite = doorTo(all.externalCompletion);
export const deletionTestSuite: BehaviourTestSuite = doorTo(all.deleting);
export const readTestSuite: BehaviourTestSuite = doorTo(all.reading);
export const notifyTestSuite: BehaviourTestSuite = doorTo(all.notifying, all.foreignMessages);
export const observeTestSuite: BehaviourTestSuite = doorTo(all.observing);
export const stopTestSuite: BehaviourTestSuite = doorTo(all.stopping, all.workerCare);
export const failingDatabaseTestSuite: BehaviourTestSuite = doorTo(all.failingDatabase);
export const limitTestSuite: BehaviourTestSuite = doorTo(all.limiting);
export const versionTestSuite: BehaviourTestSuite = doorTo(
  all.versioning,
  all.transforming,
  all.coding,
);

/** How Queuert behaves on a pair of adapters: all suites. */
export const behaviourTestSuite: BehaviourTestSuite = (options) =>
  describeBehaviourSuites(Object.values(all), options);
