import { describe, expectTypeOf, it } from "vitest";
import { defineUnionJobTypes } from "../../src/job-types/define-job-types.ts";
import type { StandardSchemaV1 } from "../../src/job-types/standard-schema.ts";
import { defineUpcast } from "../../src/job-types/upcast.ts";

type Definitions = { mail: { input: { to: string; locale: string }; output: { sent: number } } };

declare const input: StandardSchemaV1<unknown, { to: string; locale: string }>;
declare const output: StandardSchemaV1<unknown, { sent: number }>;
declare const old: StandardSchemaV1<unknown, { to: string }>;

describe("versions of a job type", () => {
  it("have former names and upcasts, each from its own type to that of today", () => {
    defineUnionJobTypes<Definitions>({
      mail: {
        entry: true,
        formerNames: ["send-mail"],
        input,
        output,
        upcast: [
          defineUpcast({
            from: old,
            to: (value) => {
              expectTypeOf(value).toEqualTypeOf<{ to: string }>();
              return { ...value, locale: "en" };
            },
          }),
          { from: old, to: async ({ to }: { to: string }) => ({ to, locale: "en" }) },
        ],
        upcastOutput: [defineUpcast({ from: old, to: () => ({ sent: 1 }) })],
      },
    });
  });

  it("refuses an upcast to another type, and a former name that is no text", () => {
    defineUnionJobTypes<Definitions>({
      mail: {
        entry: true,
        input,
        // @ts-expect-error no locale
        upcast: [{ from: old, to: ({ to }: { to: string }) => ({ to }) }],
      },
    });
    // @ts-expect-error a number
    defineUnionJobTypes<Definitions>({ mail: { entry: true, formerNames: [1] } });
  });
});
