import type { NotifyTestContext } from "./extend-with-notify.ts";
import { runNotifyCase } from "./notify-harness.ts";
import type { NotifyCaseContext } from "./notify-harness.ts";
import { closeSuite } from "./notify/close.suite.ts";
import { deliverySuite } from "./notify/delivery.suite.ts";
import { fanOutSuite } from "./notify/fan-out.suite.ts";
import { foreignMessagesSuite } from "./notify/foreign-messages.suite.ts";
import { reconnectSuite } from "./notify/reconnect.suite.ts";
import { storesSuite } from "./notify/stores.suite.ts";
import { everyListenerSuite, wakeHintsSuite } from "./notify/wake-hints.suite.ts";
import { describeSuites } from "./suite.ts";
import type { SuiteCase, SuiteGap, SuiteIt } from "./suite.ts";

export type NotifySuiteFixtures = Pick<NotifyTestContext, "notifyHarness">;

export interface NotifyTestSuiteOptions {
  /** Extended with the `extendWithNotify…` of the adapter. */
  readonly it: SuiteIt<NotifySuiteFixtures>;
  /** Whether the adapter keeps hint counts, and so wakes no more listeners than there are jobs. */
  readonly hints: boolean;
  /** Whether there are connections that can break, and foreign messages on them. */
  readonly network: boolean;
  /** Rules the adapter does not keep, each with its reason. */
  readonly gaps?: readonly SuiteGap[] | undefined;
}

const toBody =
  (test: SuiteCase<NotifyCaseContext>) =>
  async ({ notifyHarness }: NotifySuiteFixtures): Promise<void> =>
    runNotifyCase(test.run, notifyHarness);

/** Everything a notify adapter promises. */
export const notifyAdapterTestSuite = (options: NotifyTestSuiteOptions): void => {
  const { it, hints, network, gaps } = options;
  const suites = [
    deliverySuite,
    fanOutSuite,
    hints ? wakeHintsSuite : everyListenerSuite,
    ...(network ? [reconnectSuite, foreignMessagesSuite, storesSuite] : []),
    closeSuite,
  ];
  describeSuites({ it, suites, gaps, toBody });
};
