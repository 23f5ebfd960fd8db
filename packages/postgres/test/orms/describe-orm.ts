// All suites of the contract and of behaviour through an ORM, and its own transactions.
import { providedPostgres } from "@queuert/test-services/provided";
import {
  behaviourTestSuite,
  extendWithCommon,
  extendWithNotifyInProcess,
  stateAdapterTestSuite,
} from "queuert/testing";
import { describe, it } from "vitest";
import { extendWithStatePostgres } from "../../src/testing.ts";
import { beginByCallback, lazyDatabaseUrl } from "../fixtures.ts";
import type { OpenOrm } from "./orm-client.ts";
import { describeTransactions } from "./transactions.ts";

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
      behaviourTestSuite({ it: extendWithNotifyInProcess(withState) });
    });
    describeTransactions(open);
  });
};
