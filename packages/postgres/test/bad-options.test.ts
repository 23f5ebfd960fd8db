import pg from "pg";
import { describe, expect, it } from "vitest";
import { createPgNotifyAdapter, createPgStateAdapter } from "../src/index.ts";
import { createPgPoolNotifyProvider, createPgPoolStateProvider } from "../src/providers/pg.ts";

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

  it("a pool", () => {
    for (const pool of [undefined, "postgres://localhost/app", new pg.Client()]) {
      expect(() => createPgPoolStateProvider(pool as never)).toThrow("a `Pool` of `pg`");
    }
  });
});
