// The store that was written by ADAPTERS.md passes the suites in the order of that page.
import {
  describeStateSuites,
  extendWithCommon,
  extendWithState,
  stateRacesTestSuite,
  stateSuites,
} from "queuert/testing";
import { describe, it as vitestIt } from "vitest";
import { type Step, stepsOfPage } from "./adapters-page.ts";
import { createSnapshotStateAdapter } from "./create-snapshot-state-adapter.ts";
import type { SnapshotStateAdapter } from "./snapshot.ts";

/** The store as it is after a step of the page: later methods are not written yet. */
const openAfter = (steps: readonly Step[]): SnapshotStateAdapter => {
  const whole = createSnapshotStateAdapter();
  const written = new Set(steps.flatMap(({ methods }) => methods));
  const notYet = (name: string) => async () => {
    throw new Error(`${name} belongs to a later step of ADAPTERS.md.`);
  };
  const members = Object.entries(whole).map(([name, member]) => {
    const isThere = typeof member !== "function" || written.has(name as never);
    return [name, isThere ? member : notYet(name)] as const;
  });
  // The same keys as the whole store.
  return Object.fromEntries(members) as unknown as SnapshotStateAdapter;
};

const close = async (): Promise<void> => undefined;

stepsOfPage.forEach(({ number, suites }, index) => {
  describe(`step ${number}`, () => {
    const it = extendWithState(extendWithCommon(vitestIt), async () => ({
      stateAdapter: openAfter(stepsOfPage.slice(0, index + 1)),
      close,
    }));
    describeStateSuites(
      suites.flatMap((name) => stateSuites[name]),
      { it },
    );
  });
});

describe("the races", () => {
  const it = extendWithState(extendWithCommon(vitestIt), async () => ({
    stateAdapter: openAfter(stepsOfPage),
    close,
  }));
  stateRacesTestSuite({ it, withoutLimitKeys: "the page does not describe them" });
});
