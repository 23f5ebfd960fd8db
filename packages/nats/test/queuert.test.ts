// How Queuert behaves with notifications over NATS, on a store in memory and on PostgreSQL.
import { createPgPoolStateProvider } from "@queuert/postgres/pg";
import { extendWithStatePostgres } from "@queuert/postgres/testing";
import { providedNats, providedPostgres } from "@queuert/test-services/provided";
import pg from "pg";
import { behaviourTestSuite, extendWithCommon, extendWithStateInProcess } from "queuert/testing";
import { describe, it } from "vitest";
import { extendWithNatsNotify } from "../src/testing.ts";
import { openNats, openNatsIo } from "./clients.ts";

const withCommon = extendWithCommon(it);

const subjectPrefix = (): string => providedNats().namespace();

// Each store with the other family of clients: what depends on the client is in the notify suites.
describe("in-process state, nats, without hints", () => {
  const withNotify = extendWithNatsNotify(extendWithStateInProcess(withCommon), {
    connect: async () => {
      const { nc, close } = await openNats({ servers: providedNats().url, bucket: "behaviour" });
      return { nc, close };
    },
    subjectPrefix,
  });
  behaviourTestSuite({ it: withNotify });
});

describe("PostgreSQL state, @nats-io, with hints", () => {
  let database: Promise<{ readonly url: string }> | undefined;
  const withState = extendWithStatePostgres(withCommon, {
    connect: async () => {
      database ??= providedPostgres().createDatabase();
      const pool = new pg.Pool({ connectionString: (await database).url, max: 40 });
      return { provider: createPgPoolStateProvider(pool), close: () => pool.end() };
    },
  });
  const withNotify = extendWithNatsNotify(withState, {
    connect: () => openNatsIo({ servers: providedNats().url, bucket: "behaviour" }),
    subjectPrefix,
  });
  behaviourTestSuite({ it: withNotify });
});
