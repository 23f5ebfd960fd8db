// Errors as ORMs give them, each with a deadlock or a missing table of the server inside.
import { describe, expect, it } from "vitest";
import { isTransientPgError } from "../src/index.ts";
import { toNamedError } from "../src/named-errors.ts";
import { createStoreNames } from "../src/store-names.ts";

const ofServer = (code: string, message: string): Error =>
  Object.assign(new Error(message), { code });

const prisma = (originalCode: string, originalMessage: string): Error =>
  Object.assign(new Error(`Raw query failed. Code: \`${originalCode}\`.`), {
    code: "P2010",
    meta: { driverAdapterError: { cause: { originalCode, originalMessage, kind: "postgres" } } },
  });

const wrappers: readonly (readonly [string, (code: string, message: string) => Error])[] = [
  ["Drizzle", (code, message) => new Error("Failed query", { cause: ofServer(code, message) })],
  ["Prisma", prisma],
  [
    "Sequelize",
    (code, message) => Object.assign(new Error(message), { original: ofServer(code, message) }),
  ],
  [
    "Bun.SQL",
    (code, message) =>
      Object.assign(new Error(message), { code: "ERR_POSTGRES_SERVER_ERROR", errno: code }),
  ],
];

describe.each(wrappers)("an error of %s", (_, wrap) => {
  it("is transient if the server's is", () => {
    expect(isTransientPgError(wrap("40P01", "deadlock detected"))).toBe(true);
    expect(isTransientPgError(wrap("23505", "duplicate key"))).toBe(false);
  });

  it("gets the name of the server's, with the missing part", () => {
    const error = wrap("42P01", 'relation "queuert.job" does not exist');
    expect(toNamedError(error, createStoreNames("queuert", "uuid"))).toMatchObject({
      code: "QUEUERT_PG_SCHEMA_OUTDATED",
      missing: 'relation "queuert.job" does not exist',
      cause: error,
    });
  });
});

it("timeouts of the pools of ORMs are transient", () => {
  const knex = new Error("Knex: Timeout acquiring a connection. The pool is probably full.");
  expect(isTransientPgError(knex)).toBe(true);
  expect(toNamedError(knex, createStoreNames("queuert", "uuid"))).toMatchObject({
    code: "QUEUERT_PG_POOL_EXHAUSTED",
  });
  const start = "Transaction API error: Unable to start a transaction in the given time.";
  expect(isTransientPgError(Object.assign(new Error(start), { code: "P2028" }))).toBe(true);
});
