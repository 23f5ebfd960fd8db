import { describe, expectTypeOf, it } from "vitest";
import type {
  DefineContinuationInput,
  DefineContinuationOutput,
} from "../../src/job-types/markers.ts";
import type {
  BlockerJobTypes,
  ContinuationJobTypes,
  ExternalJobTypeDefinitions,
  ExternalJobTypes,
  HasBlockers,
  SequenceJobTypes,
  SequenceTypesReaching,
} from "../../src/job-types/references.ts";
import type { Definitions } from "./fixtures.ts";

describe("ContinuationJobTypes", () => {
  it("is never for a type that only ends its sequence", () => {
    expectTypeOf<ContinuationJobTypes<Definitions, "send">>().toBeNever();
  });

  it("unites several markers, and several names in one marker", () => {
    expectTypeOf<ContinuationJobTypes<Definitions, "order">>().toEqualTypeOf<"charge" | "ship">();
    expectTypeOf<ContinuationJobTypes<Definitions, "charge">>().toEqualTypeOf<"ship" | "refuse">();
  });
});

describe("SequenceJobTypes", () => {
  it("is everything that can be reached, the start included", () => {
    expectTypeOf<SequenceJobTypes<Definitions, "order">>().toEqualTypeOf<
      "order" | "charge" | "ship" | "refuse"
    >();
    expectTypeOf<SequenceJobTypes<Definitions, "send">>().toEqualTypeOf<"send">();
  });

  it("ends in a circle", () => {
    expectTypeOf<SequenceJobTypes<Definitions, "poll">>().toEqualTypeOf<"poll">();
  });

  it("does not follow blockers", () => {
    expectTypeOf<SequenceJobTypes<Definitions, "report">>().toEqualTypeOf<"report">();
  });
});

describe("SequenceTypesReaching", () => {
  it("is the type itself for an entry type that no type continues to", () => {
    expectTypeOf<SequenceTypesReaching<Definitions, "order">>().toEqualTypeOf<"order">();
  });

  it("is every entry type that leads to an internal one", () => {
    expectTypeOf<SequenceTypesReaching<Definitions, "ship">>().toEqualTypeOf<"order" | "reship">();
    expectTypeOf<SequenceTypesReaching<Definitions, "charge">>().toEqualTypeOf<"order">();
  });

  it("holds an entry type that others continue to, and itself", () => {
    type Chained = {
      first: { input: null; output: DefineContinuationOutput<"second"> };
      second: { input: null; output: null };
    };
    expectTypeOf<SequenceTypesReaching<Chained, "second">>().toEqualTypeOf<"first" | "second">();
  });

  it("is never for an internal type that nothing leads to", () => {
    type Orphan = { alone: { input: DefineContinuationInput<null>; output: null } };
    expectTypeOf<SequenceTypesReaching<Orphan, "alone">>().toBeNever();
  });
});

describe("ExternalJobTypeDefinitions", () => {
  it("leaves internal types out and the rest as it is", () => {
    expectTypeOf<ExternalJobTypes<Definitions>>().toEqualTypeOf<
      | "send"
      | "order"
      | "reship"
      | "report"
      | "digest"
      | "refund"
      | "approval"
      | "reminder"
      | "audit"
      | "poll"
    >();
    expectTypeOf<ExternalJobTypeDefinitions<Definitions>["poll"]>().toEqualTypeOf<
      Definitions["poll"]
    >();
  });
});

describe("HasBlockers", () => {
  it("is true for fixed and for open tuples", () => {
    expectTypeOf<HasBlockers<Definitions, "report">>().toEqualTypeOf<true>();
    expectTypeOf<HasBlockers<Definitions, "digest">>().toEqualTypeOf<true>();
    expectTypeOf<HasBlockers<Definitions, "publish">>().toEqualTypeOf<true>();
  });

  it("is false without blockers and for an empty tuple", () => {
    type Empty = { none: { input: null; output: null; blockers: [] } };
    expectTypeOf<HasBlockers<Definitions, "send">>().toEqualTypeOf<false>();
    expectTypeOf<HasBlockers<Empty, "none">>().toEqualTypeOf<false>();
  });
});

describe("BlockerJobTypes", () => {
  it("is the names in order, open ends kept", () => {
    expectTypeOf<BlockerJobTypes<Definitions, "report">>().toEqualTypeOf<
      readonly ["send", "order" | "reship"]
    >();
    expectTypeOf<BlockerJobTypes<Definitions, "publish">>().toEqualTypeOf<
      readonly ["send", ..."order"[]]
    >();
    expectTypeOf<BlockerJobTypes<Definitions, "send">>().toEqualTypeOf<readonly []>();
  });
});

describe("the name of a type that is not defined", () => {
  it("is refused by every helper", () => {
    // @ts-expect-error no such job type
    type A = ContinuationJobTypes<Definitions, "nope">;
    // @ts-expect-error no such job type
    type B = SequenceJobTypes<Definitions, "nope">;
    // @ts-expect-error no such job type
    type C = SequenceTypesReaching<Definitions, "nope">;
    // @ts-expect-error no such job type
    type D = HasBlockers<Definitions, "nope">;
    expectTypeOf<[A, B, C, D]>().not.toBeAny();
  });
});
