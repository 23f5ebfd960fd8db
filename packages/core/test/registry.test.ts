import { describe, expect, it } from "vitest";
import { defineUnionJobTypes } from "../src/job-types/define-job-types.ts";
import type {
  DefineBlocker,
  DefineContinuationInput,
  DefineContinuationOutput,
} from "../src/job-types/markers.ts";
import { createRegistry } from "../src/job-types/registry.ts";
import type { StandardSchemaResult, StandardSchemaV1 } from "../src/job-types/standard-schema.ts";

type Definitions = {
  order: { input: { cents: number }; output: DefineContinuationOutput<"ship"> | { skipped: true } };
  ship: { input: DefineContinuationInput<null>; output: { parcel: string } };
  report: {
    input: null;
    output: null;
    blockers: [DefineBlocker<"order">, DefineBlocker<"report">];
  };
  digest: { input: null; output: null; blockers: DefineBlocker<"order">[] };
};

const schema = <T>(
  validate: (value: unknown) => StandardSchemaResult<T> | Promise<StandardSchemaResult<T>>,
): StandardSchemaV1<unknown, T> => ({ "~standard": { version: 1, vendor: "test", validate } });

const isCents = (value: unknown): value is { cents: number } =>
  typeof value === "object" && value !== null && "cents" in value;

const registry = createRegistry(
  defineUnionJobTypes<Definitions>({
    order: {
      entry: true,
      continuesTo: { ship: true },
      input: schema((value) =>
        isCents(value)
          ? { value: { cents: Math.round(value.cents) } }
          : { issues: [{ message: "no cents", path: ["cents"] }] },
      ),
    },
    ship: {
      entry: false,
      output: schema(async (value) =>
        value === null ? { issues: [{ message: "null" }] } : { value: { parcel: "p" } },
      ),
    },
    report: { entry: true, blockers: ["order", "report"] },
    digest: { entry: true, blockers: true },
  }),
);

describe("a registry with a catalogue", () => {
  it("names the nearest defined types for one that is unknown", () => {
    expect(() => registry.assertKnown("reprot")).toThrowError(
      expect.objectContaining({
        code: "QUEUERT_UNKNOWN_JOB_TYPE",
        typeName: "reprot",
        message: 'Job type "reprot" is not defined. Did you mean "report"?',
      }),
    );
    expect(() => registry.assertKnown("something else")).toThrow("Add it to");
    expect(() => registry.assertKnown("x".repeat(10_000))).toThrow("Add it to");
    expect(() => registry.assertKnown("order")).not.toThrow();
  });

  it("does not know the properties that every object has", () => {
    expect(() => registry.assertKnown("toString")).toThrow("is not defined");
    expect(() => registry.assertKnown("__proto__")).toThrow("is not defined");
    expect(() => registry.assertContinuation("order", "constructor")).toThrow("is not defined");
  });

  it("starts sequences with entry types only", () => {
    expect(() => registry.assertEntry("order")).not.toThrow();
    expect(() => registry.assertEntry("ship")).toThrowError(
      expect.objectContaining({ code: "QUEUERT_NOT_AN_ENTRY_JOB_TYPE" }),
    );
    expect(() => registry.assertEntry("nope")).toThrow("is not defined");
  });

  it("continues along the declared continuations only", () => {
    expect(() => registry.assertContinuation("order", "ship")).not.toThrow();
    expect(() => registry.assertContinuation("order", "report")).toThrowError(
      expect.objectContaining({
        code: "QUEUERT_CONTINUATION_NOT_ALLOWED",
        fromTypeName: "order",
        toTypeName: "report",
      }),
    );
    expect(() => registry.assertContinuation("ship", "order")).toThrow("does not continue");
    expect(() => registry.assertContinuation("order", "shipp")).toThrow('Did you mean "ship"');
  });

  it("knows which types expect blockers", () => {
    expect(registry.expectsBlockers("report")).toBe(true);
    expect(registry.expectsBlockers("digest")).toBe(true);
    expect(registry.expectsBlockers("order")).toBe(false);
  });

  it("takes the declared blockers in order, and any number where it is open", () => {
    expect(() => registry.assertBlockers("report", ["order", "report"])).not.toThrow();
    expect(() => registry.assertBlockers("order", [])).not.toThrow();
    expect(() => registry.assertBlockers("digest", [])).not.toThrow();
    expect(() => registry.assertBlockers("digest", ["order", "order"])).not.toThrow();
    expect(() => registry.assertBlockers("report", ["report", "order"])).toThrowError(
      expect.objectContaining({ code: "QUEUERT_BLOCKERS_MISMATCH", typeName: "report" }),
    );
    expect(() => registry.assertBlockers("report", ["order"])).toThrow(
      'expects ["order", "report"] from `startBlockers`, but got ["order"]',
    );
    expect(() => registry.assertBlockers("order", ["order"])).toThrow("expects no blockers");
    expect(() => registry.assertBlockers("digest", ["nope"])).toThrow("is not defined");
  });

  it("answers payloads as their schema leaves them, at once if the schema is synchronous", () => {
    expect(registry.parseInput("order", { cents: 1.6 })).toEqual({ cents: 2 });
    expect(registry.parseInput("report", "anything")).toBe("anything");
    expect(registry.parseOutput("order", "anything")).toBe("anything");
  });

  it("refuses payloads their schema refuses, with its issues and without the payload", async () => {
    expect(() => registry.parseInput("order", "secret")).toThrowError(
      expect.objectContaining({
        code: "QUEUERT_INVALID_PAYLOAD",
        part: "input",
        issues: [{ message: "no cents", path: ["cents"] }],
        message: expect.not.stringContaining("secret"),
      }),
    );
    await expect(registry.parseOutput("ship", {})).resolves.toEqual({ parcel: "p" });
    await expect(registry.parseOutput("ship", null)).rejects.toMatchObject({ part: "output" });
    expect(() => registry.parseInput("nope", null)).toThrow("is not defined");
  });
});

describe("a registry without a catalogue", () => {
  const blind = createRegistry(defineUnionJobTypes<Definitions>());

  it("lets everything pass, since it knows nothing", () => {
    expect(() => blind.assertKnown("nope")).not.toThrow();
    expect(() => blind.assertEntry("ship")).not.toThrow();
    expect(() => blind.assertContinuation("ship", "nope")).not.toThrow();
    expect(() => blind.assertBlockers("order", ["nope"])).not.toThrow();
    expect(blind.expectsBlockers("order")).toBeUndefined();
    expect(blind.parseInput("order", 1)).toBe(1);
    expect(blind.parseOutput("order", 1)).toBe(1);
  });
});
