import { describe, expect, it } from "vitest";
import { createBunSqlStateProvider } from "../../src/orms/bun.ts";
import { openBunSql } from "./clients/bun.ts";
import { describeOrm } from "./describe-orm.ts";

if (openBunSql !== undefined) describeOrm("Bun.SQL", openBunSql);

describe("bad input", () => {
  const reserve = () => undefined;
  const methods = { unsafe: reserve, begin: reserve, reserve };

  it.each([
    ["an URL", "postgres://localhost"],
    ["nothing", undefined],
    ["a pool of `pg`", { query: reserve, connect: reserve, options: {} }],
    ["a transaction", Object.assign(() => undefined, methods, { savepoint: reserve })],
  ])("is refused: %s", (_, value) => {
    expect(() => createBunSqlStateProvider(value as never)).toThrow(
      expect.objectContaining({ code: "QUEUERT_PG_INVALID_OPTION" }),
    );
  });
});
