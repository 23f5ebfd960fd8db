// The kit of tests on a server, and without one.
import { PGlite } from "@electric-sql/pglite";
import { createPgStateAdapter, type PgStateProvider } from "@queuert/postgres";
import { createPgliteStateProvider } from "@queuert/postgres/pglite";
import { createPgTimeTravel } from "@queuert/postgres/test";
import { type TestKitStore, testKitSuite } from "queuert/testing";
import { afterAll, describe, expect, it } from "vitest";
import { connectPg, lazyDatabaseUrl, servers } from "./fixtures.ts";

let schemaCount = 0;

const openStore = async (
  stateProvider: PgStateProvider<object, object>,
  close: () => Promise<void>,
): Promise<TestKitStore> => {
  // A name that has to be quoted.
  const schema = `kit "${++schemaCount}"`;
  const stateAdapter = await createPgStateAdapter({ stateProvider, schema });
  await stateAdapter.migrateToLatest();
  return { stateAdapter, timeTravel: createPgTimeTravel(stateAdapter), close };
};

describe.each(servers.slice(0, 1))("pg on %s", (_name, databases) => {
  const url = lazyDatabaseUrl(databases);
  testKitSuite({
    open: async () => {
      const { provider, close } = await connectPg(await url());
      return openStore(provider, close);
    },
  });
});

describe("PGlite", () => {
  let db: PGlite | undefined;
  afterAll(() => db?.close());
  testKitSuite({
    open: async () => {
      db ??= await PGlite.create();
      const provider = createPgliteStateProvider(db) as unknown as PgStateProvider<object, object>;
      return openStore(provider, async () => undefined);
    },
  });
});

it("refuses an adapter of another store", () => {
  expect(() => createPgTimeTravel({})).toThrow("not a copy");
});
