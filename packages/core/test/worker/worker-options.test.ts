import { describe, expect, it } from "vitest";
import { defaults } from "../../src/defaults.ts";
import { InvalidOptionError } from "../../src/errors.ts";
import { toWorkerOptions } from "../../src/worker/worker-options.ts";

const taken = (given: unknown): unknown => toWorkerOptions(given as never, false);

describe("the options of worker.start", () => {
  it("derives omitted options from the given ones", () => {
    expect(taken({ shutdownTimeoutMs: 5 })).toMatchObject({ shutdownGraceMs: 5 });
    expect(taken({})).toMatchObject({ shutdownGraceMs: defaults.shutdownGraceMs });
  });

  // Defaults derived while destructuring were computed before the values they derive from were
  // checked.
  it.each(["concurrency", "shutdownTimeoutMs"])(
    "names %s when it cannot be calculated with",
    (name) => {
      for (const value of [Symbol("s"), 10n, Object.create(null), { valueOf: () => Symbol("s") }]) {
        expect(() => taken({ [name]: value })).toThrow(InvalidOptionError);
        expect(() => taken({ [name]: value })).toThrow(`\`${name}\``);
      }
    },
  );
});
