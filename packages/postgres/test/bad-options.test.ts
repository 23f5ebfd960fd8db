import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import postgres from "postgres";
import { describe, expect, it } from "vitest";
import { createPgNotifyAdapter, createPgStateAdapter } from "../src/index.ts";
import { createPgPoolNotifyProvider, createPgPoolStateProvider } from "../src/providers/pg.ts";
import { createPgliteStateProvider } from "../src/providers/pglite.ts";
import {
  createPostgresJsNotifyProvider,
  createPostgresJsStateProvider,
} from "../src/providers/postgres-js.ts";

const code = "QUEUERT_PG_INVALID_OPTION";

describe("something else in the place of", () => {
  it("a state provider", async () => {
    for (const stateProvider of [undefined, new pg.Pool(), Promise.resolve({})]) {
      const creating = createPgStateAdapter({ stateProvider } as never);
      await expect(creating).rejects.toMatchObject({ code, option: "stateProvider" });
    }
  });

  it("a notify provider", async () => {
    const creating = createPgNotifyAdapter({
      notifyProvider: createPgPoolNotifyProvider(new pg.Pool()),
    } as never);
    await expect(creating).rejects.toMatchObject({ code, option: "provider" });
  });

  // A client connects with its first statement.
  const sql = postgres("postgres://localhost/app");
  const others = [undefined, "postgres://localhost/app", new pg.Client(), Promise.resolve(sql)];

  it("a pool", () => {
    for (const pool of [...others, sql]) {
      for (const create of [createPgPoolStateProvider, createPgPoolNotifyProvider]) {
        expect(() => create(pool as never)).toThrow("a `Pool` of `pg`");
      }
    }
  });

  it("a client of postgres.js", () => {
    // As `begin` and `reserve` return.
    const transaction = Object.assign(() => undefined, { unsafe: () => undefined, options: {} });
    for (const other of [...others, new pg.Pool(), transaction]) {
      for (const create of [createPostgresJsStateProvider, createPostgresJsNotifyProvider]) {
        expect(() => create(other as never)).toThrow(
          expect.objectContaining({ code, option: "sql" }),
        );
      }
    }
    const listenConnection = { port: 5432 } as never;
    expect(() => createPostgresJsNotifyProvider(sql, { listenConnection })).toThrow(
      "Option `listenConnection` must be the return value of `postgres(…)` of postgres.js",
    );
  });

  it("a client of postgres.js whose rows cannot be read", () => {
    const transformed = postgres("postgres://localhost/app", { transform: { row: () => null } });
    expect(() => createPostgresJsStateProvider(transformed)).toThrow(
      expect.objectContaining({
        code,
        option: "sql",
        message: expect.stringContaining("transform.row"),
      }),
    );
  });

  it("a PGlite", async () => {
    const client = new PGlite();
    await client.transaction(async (transaction) => {
      for (const other of [...others, new pg.Pool(), sql, transaction]) {
        expect(() => createPgliteStateProvider(other as never)).toThrow("must be a `PGlite`");
      }
    });
    await client.close();
  });
});
