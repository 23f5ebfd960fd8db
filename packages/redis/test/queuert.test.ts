// How Queuert behaves with notifications over Redis, on a store in memory and on PostgreSQL.
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import { extendWithStatePostgres } from "@queuert/postgres/testing";
import {
  providedPostgres,
  providedRedis,
  providedRedisCluster,
} from "@queuert/test-services/provided";
import pg from "pg";
import { behaviourTestSuite, extendWithCommon, extendWithStateInProcess } from "queuert/testing";
import { describe, it } from "vitest";
import { extendWithNotifyRedis } from "../src/testing.ts";
import { clusterClients, singleClients } from "./clients.ts";

const withCommon = extendWithCommon(it);
const channelPrefix = (): string => providedRedis().namespace();

const clientOf = <TOpen>(
  clients: readonly (readonly [name: string, open: TOpen])[],
  wanted: string,
): TOpen => {
  const [, open] = clients.find(([name]) => name === wanted) ?? [];
  if (open === undefined) throw new Error(`No client is called ${wanted}`);
  return open;
};

// Each store with another client. The notify suites cover every client.
describe("in-process state, redis", () => {
  const open = clientOf(singleClients, "redis 6");
  const withNotify = extendWithNotifyRedis(extendWithStateInProcess(withCommon), {
    connect: () => open(providedRedis().url),
    channelPrefix,
  });
  behaviourTestSuite({ it: withNotify });
});

describe("in-process state, cluster", () => {
  const open = clientOf(clusterClients, "ioredis 5");
  const withNotify = extendWithNotifyRedis(extendWithStateInProcess(withCommon), {
    connect: () => open(providedRedisCluster().nodes),
    channelPrefix,
  });
  behaviourTestSuite({ it: withNotify });
});

describe("PostgreSQL state, ioredis", () => {
  const open = clientOf(singleClients, "ioredis 5");
  let database: Promise<{ readonly url: string }> | undefined;
  const withState = extendWithStatePostgres(withCommon, {
    connect: async () => {
      database ??= providedPostgres().createDatabase();
      const pool = new pg.Pool({ connectionString: (await database).url, max: 40 });
      return { provider: createPgPoolStateProvider(pool), close: () => pool.end() };
    },
  });
  const withNotify = extendWithNotifyRedis(withState, {
    connect: () => open(providedRedis().url),
    channelPrefix,
  });
  behaviourTestSuite({ it: withNotify });
});
