import pg from "pg";
import postgres from "postgres";
import { createDeferred } from "queuert/internal";
import { notifyAdapterTestSuite } from "queuert/testing";
import { describe, expect, it } from "vitest";
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
  // `fetch_types`: a connection cut while the driver asks for types is a rejection without a handler.
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

      // It is sent as the text of a statement.
      it.each(["on", "off"])("sends any text, standard_conforming_strings %s", async (setting) => {
        const database = new URL(await url());
        const standard = `-c standard_conforming_strings=${setting}`;
        if (driverName === "pg") database.searchParams.set("options", standard);
        else database.searchParams.set("standard_conforming_strings", setting);
        const { provider, close } = await connect(database.href);
        const texts = [
          "'; NOTIFY x; --",
          "\\'",
          "\\\\ \\n",
          "$1 $a$ %s",
          "名 \u{1F600} \n\t",
          "{}",
        ];
        const heard: string[] = [];
        const allHeard = createDeferred<void>();
        const subscriber = await provider.connectSubscriber({
          onMessage: (_channel, payload) => {
            heard.push(payload);
            if (heard.length === texts.length + 1) allHeard.resolve();
          },
          onLost: () => undefined,
        });
        await subscriber.subscribe('odd "name');
        await provider.publish('odd "name', texts);
        await provider.publish('odd "name', ["one"]);
        await allHeard.promise;
        expect(heard).toEqual([...texts, "one"]);
        await subscriber.close();
        await close();
      });
    });
  }
}
