import { describe, expectTypeOf, it } from "vitest";
import { queuert } from "./fixtures.ts";
import type { Client } from "./fixtures.ts";

describe("middleware", () => {
  it("wraps the process function, or also `prepare` and `complete`", () => {
    queuert
      .createWorker()
      .use(async ({ job }, next) => {
        expectTypeOf(job.attempt).toEqualTypeOf<number>();
        return next();
      })
      .use({
        process: async (_context, next) => next(),
        prepare: async ({ transaction, job }, next) => {
          expectTypeOf(transaction).toEqualTypeOf<{ client: Client } | undefined>();
          expectTypeOf(job.typeName).toEqualTypeOf<string>();
          await next();
        },
        complete: async ({ transaction }, next) => {
          await transaction?.client.query("SELECT 1");
          await next();
        },
      })
      // @ts-expect-error no part of that name
      .use({ before: async () => undefined });
  });
});
