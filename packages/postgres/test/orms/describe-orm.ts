// The suites of the contract through an ORM, and a choice of the behaviour suites: those in which transactions matter. The
// other ones meet the same statements in the same order as through `pg`.
import { providedPostgres } from "@queuert/test-services/provided";
import {
  behaviourSuites,
  describeBehaviourSuites,
  extendWithCommon,
  extendWithNotifyInProcess,
  stateAdapterTestSuite,
} from "queuert/testing";
import { describe, it } from "vitest";
import { extendWithStatePostgres } from "../../src/testing.ts";
import { beginByCallback, lazyDatabaseUrl } from "../fixtures.ts";
import type { OpenOrm } from "./orm-client.ts";
import { describeTransactions } from "./transactions.ts";

const { starting, transacting, continuing, preparing, committing, afterCommit } = behaviourSuites;
const chosen = [starting, transacting, continuing, preparing, committing, afterCommit];

export const describeOrm = (name: string, open: OpenOrm): void => {
  describe(name, () => {
    const url = lazyDatabaseUrl(providedPostgres);
    const withState = extendWithStatePostgres(extendWithCommon(it), {
      connect: async () => {
        const client = await open(await url(), { connectionsMax: 40 });
        return {
          provider: client.stateProvider,
          beginUsersTransaction: () => beginByCallback(client.transaction),
          close: client.close,
        };
      },
    });
    stateAdapterTestSuite({ it: withState });
    describe("behaviour", () => {
      describeBehaviourSuites(chosen, { it: extendWithNotifyInProcess(withState) });
    });
    describeTransactions(open);
  });
};
