// The contract of the state adapter, and Queuert's behaviour, behind a real proxy that pools transactions, with fewer connections than its clients.
import { startPgbouncer, type PgbouncerService } from "@queuert/test-services/pgbouncer";
import { providedPostgres } from "@queuert/test-services/provided";
import { extendWithCommon, stateAdapterTestSuite } from "queuert/testing";
import { beforeAll, describe, it } from "vitest";
import { extendWithStatePostgres } from "../src/testing.ts";
import { describeBehaviour } from "./behaviour/describe-behaviour.ts";
import { connectPg, connectPostgresJs, lazyDatabaseUrl } from "./fixtures.ts";

let pooler: PgbouncerService;
// It may have to be installed.
beforeAll(async () => {
  pooler = await startPgbouncer(providedPostgres().url);
  return () => pooler.close();
}, 180_000);

describe.each([
  ["pg", connectPg],
  ["postgres.js", (url: string) => connectPostgresJs(url, { prepare: false })],
] as const)("%s through PgBouncer", (_, connect) => {
  const url = lazyDatabaseUrl(providedPostgres);
  stateAdapterTestSuite({
    it: extendWithStatePostgres(extendWithCommon(it), {
      connect: async () => connect(pooler.through(await url())),
    }),
  });
});

describe("behaviour through PgBouncer, listening past it", () => {
  describeBehaviour(providedPostgres, (url) => connectPg(pooler.through(url)), "postgres");
});
