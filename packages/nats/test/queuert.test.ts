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

// Each store with another family of clients. The notify suites cover both clients.
describe("in-process state, nats", () => {
  const withNotify = extendWithNatsNotify(extendWithStateInProcess(withCommon), {
    connect: () => openNats({ servers: providedNats().url }),
    subjectPrefix,
  });
  behaviourTestSuite({ it: withNotify });
});

describe("PostgreSQL state, @nats-io", () => {
  let database: Promise<{ readonly url: string }> | undefined;
  const withState = extendWithStatePostgres(withCommon, {
    connect: async () => {
      database ??= providedPostgres().createDatabase();
      const pool = new pg.Pool({ connectionString: (await database).url, max: 40 });
      return { provider: createPgPoolStateProvider(pool), close: () => pool.end() };
    },
  });
  const withNotify = extendWithNatsNotify(withState, {
    connect: () => openNatsIo({ servers: providedNats().url }),
    subjectPrefix,
  });
  behaviourTestSuite({ it: withNotify });
});
