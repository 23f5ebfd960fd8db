// How Queuert behaves on PostgreSQL through one driver on one server, with each way of being told.
import pg from "pg";
import {
  behaviourTestSuite,
  extendWithCommon,
  extendWithNotifyInProcess,
  extendWithNotifyNoop,
  gapsWithoutNotifications,
} from "queuert/testing";
import { describe, it } from "vitest";
import {
  createPgPoolNotifyProvider,
  extendWithPostgresNotify,
  extendWithStatePostgres,
  type TestConnection,
} from "../../src/testing.ts";
import { type Databases, lazyDatabaseUrl } from "../fixtures.ts";

let prefixes = 0;
const channelPrefix = (): string => `behaviour_${(prefixes += 1)}`;

export const describeBehaviour = (
  databases: Databases,
  connect: (url: string) => Promise<TestConnection>,
  // Drivers and servers are told apart by the state suites: each need not meet every way of being told again.
  notify: "every" | "postgres" = "every",
): void => {
  const url = lazyDatabaseUrl(databases);
  const withState = extendWithStatePostgres(extendWithCommon(it), {
    connect: async () => connect(await url()),
  });
  if (notify === "every") {
    describe("in-process notify adapter", () => {
      behaviourTestSuite({ it: extendWithNotifyInProcess(withState) });
    });
    describe("no notify adapter", () => {
      behaviourTestSuite({ it: extendWithNotifyNoop(withState), gaps: gapsWithoutNotifications });
    });
  }
  describe("PostgreSQL notify adapter", () => {
    const withNotify = extendWithPostgresNotify(withState, {
      connect: async () => {
        const pool = new pg.Pool({ connectionString: await url() });
        return { provider: createPgPoolNotifyProvider(pool), close: () => pool.end() };
      },
      channelPrefix,
    });
    behaviourTestSuite({ it: withNotify });
  });
};
