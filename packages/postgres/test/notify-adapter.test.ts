import pg from "pg";
import postgres from "postgres";
import { notifyAdapterTestSuite } from "queuert/testing";
import { describe, it } from "vitest";
import { createPostgresJsNotifyProvider } from "../src/providers/postgres-js.ts";
import {
  createPgPoolNotifyProvider,
  extendWithPostgresNotify,
  type TestNotifyConnection,
} from "../src/testing.ts";
import { lazyDatabaseUrl, servers, terminateConnections } from "./fixtures.ts";

let prefixes = 0;
const channelPrefix = (): string => `test_${(prefixes += 1)}`;

const connectPg = async (url: string): Promise<TestNotifyConnection> => {
  const pool = new pg.Pool({ connectionString: url });
  return { provider: createPgPoolNotifyProvider(pool), close: () => pool.end() };
};

const connectPostgresJs = async (url: string): Promise<TestNotifyConnection> => {
  // `fetch_types`: a connection cut while the driver asks for types is a rejection that nobody can handle.
  const sql = postgres(url, { fetch_types: false, onnotice: () => {} });
  return { provider: createPostgresJsNotifyProvider(sql), close: () => sql.end({ timeout: 5 }) };
};

const drivers = [
  ["pg", connectPg],
  ["postgres.js", connectPostgresJs],
] as const;

for (const [serverName, databases] of servers) {
  for (const [driverName, connect] of drivers) {
    describe(`${driverName} on ${serverName}`, () => {
      const url = lazyDatabaseUrl(databases);
      notifyAdapterTestSuite({
        it: extendWithPostgresNotify(it, {
          connect: async () => connect(await url()),
          channelPrefix,
          breakConnections: async () => terminateConnections(await url()),
        }),
        hints: false,
        network: true,
      });
    });
  }
}
