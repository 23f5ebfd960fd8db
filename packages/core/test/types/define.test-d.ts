import { describe, expectTypeOf, it } from "vitest";
import { defineUnionJobTypes } from "../../src/job-types/define-job-types.ts";
import type { JobTypeDefinitionsOf, JobTypes } from "../../src/job-types/define-job-types.ts";
import type {
  DefineBlocker,
  DefineContinuationInput,
  DefineContinuationOutput,
} from "../../src/job-types/markers.ts";
import type { StandardSchemaV1 } from "../../src/job-types/standard-schema.ts";
import type { Any, Definitions } from "./fixtures.ts";

interface Tree {
  readonly label: string;
  readonly children: readonly Tree[];
}

class Point {
  x = 1;
  distance(): number {
    return this.x;
  }
}

describe("defineUnionJobTypes", () => {
  it("keeps the definitions for the type helpers", () => {
    const jobTypes = defineUnionJobTypes<Definitions>();
    expectTypeOf(jobTypes).toEqualTypeOf<JobTypes<Definitions>>();
    expectTypeOf<JobTypeDefinitionsOf<typeof jobTypes>>().toEqualTypeOf<Definitions>();
  });

  it("takes an interface as well as a type alias", () => {
    interface Declared {
      first: { input: null; output: DefineContinuationOutput<"second"> };
      second: { input: DefineContinuationInput<string>; output: number };
    }
    defineUnionJobTypes<Declared>();
  });

  it("takes everything that JSON can carry, dates and optional properties", () => {
    interface Payload {
      readonly tree: Tree;
      date: Date | null;
      tuple: [string, ...number[]];
      optional?: boolean;
      maybe: string | undefined;
      record: Record<string, { a: 1 }>;
      id: string & { readonly brand: unique symbol };
      either: { kind: "a"; a: 1 } | { kind: "b"; b?: 2 };
      message: { name: string; message: string };
      open: unknown;
    }
    defineUnionJobTypes<{
      a: { input: Payload; output: Payload | DefineContinuationOutput<"a"> };
      b: { input: undefined; output: void };
      c: { input: unknown; output: Any };
      d: { input: DefineContinuationInput<Payload>; output: string };
      e: { input: Payload[]; output: never };
      f: { input: object; output: {} };
    }>();
  });

  it("refuses types that JSON cannot carry, at any place", () => {
    // @ts-expect-error a bigint
    defineUnionJobTypes<{ a: { input: bigint; output: null } }>();
    // @ts-expect-error a symbol
    defineUnionJobTypes<{ a: { input: null; output: symbol } }>();
    // @ts-expect-error a function
    defineUnionJobTypes<{ a: { input: { deep: [{ run: () => void }] }; output: null } }>();
    // @ts-expect-error a Map
    defineUnionJobTypes<{ a: { input: { m: Map<string, string> }; output: null } }>();
    // @ts-expect-error a Set
    defineUnionJobTypes<{ a: { input: { s?: Set<string> }; output: null } }>();
    // @ts-expect-error a Promise
    defineUnionJobTypes<{ a: { input: null; output: Promise<string> } }>();
    // @ts-expect-error an instance with methods
    defineUnionJobTypes<{ a: { input: { at: Point }; output: null } }>();
    // @ts-expect-error binary data
    defineUnionJobTypes<{ a: { input: Uint8Array; output: null } }>();
    // @ts-expect-error an Error
    defineUnionJobTypes<{ a: { input: null; output: { cause: Error } } }>();
    // @ts-expect-error one member of a union
    defineUnionJobTypes<{ a: { input: { kind: "a" } | { n: bigint }; output: null } }>();
    // @ts-expect-error in an internal input
    defineUnionJobTypes<{ a: { input: DefineContinuationInput<bigint>; output: null } }>();
    // @ts-expect-error beside a continuation
    defineUnionJobTypes<{ a: { input: null; output: bigint | DefineContinuationOutput<"a"> } }>();
    // @ts-expect-error in a recursive type
    defineUnionJobTypes<{ a: { input: Cyclic; output: null } }>();
  });

  it("refuses names that lead nowhere", () => {
    // @ts-expect-error not defined
    defineUnionJobTypes<{ a: { input: null; output: DefineContinuationOutput<"b"> } }>();
    // @ts-expect-error one of them is not defined
    defineUnionJobTypes<{ a: { input: null; output: DefineContinuationOutput<"a" | "b"> } }>();
    // @ts-expect-error not defined
    defineUnionJobTypes<{ a: { input: null; output: null; blockers: [DefineBlocker<"b">] } }>();
    // @ts-expect-error not defined, at the open end
    defineUnionJobTypes<{
      a: { input: null; output: null; blockers: [DefineBlocker<"a">, ...DefineBlocker<"b">[]] };
    }>();
    // @ts-expect-error an internal type starts no sequence to wait for
    defineUnionJobTypes<{
      a: { input: null; output: null; blockers: [DefineBlocker<"a" | "b">] };
      b: { input: DefineContinuationInput<null>; output: null };
    }>();
  });

  it("refuses a value that is not a definition", () => {
    // @ts-expect-error no output
    defineUnionJobTypes<{ a: { input: null } }>();
    // @ts-expect-error no input
    defineUnionJobTypes<{ a: { output: null } }>();
    // @ts-expect-error no tuple
    defineUnionJobTypes<{ a: { input: null; output: null; blockers: DefineBlocker<"a"> } }>();
    // @ts-expect-error no marker
    defineUnionJobTypes<{ a: { input: null; output: null; blockers: ["a"] } }>();
  });
});

interface Cyclic {
  next: Cyclic | null;
  value: bigint;
}

declare const anySchema: StandardSchemaV1<Any, Any>;
declare const cents: StandardSchemaV1<string, { cents: number }>;

type Small = {
  order: {
    input: { cents: number };
    output: DefineContinuationOutput<"ship"> | DefineContinuationOutput<"refuse">;
  };
  ship: { input: DefineContinuationInput<null>; output: { parcel: string } };
  refuse: { input: DefineContinuationInput<null>; output: null };
  report: {
    input: null;
    output: null;
    blockers: [DefineBlocker<"order">, DefineBlocker<"report">];
  };
  digest: { input: null; output: null; blockers: DefineBlocker<"order">[] };
  either: { input: null; output: null; blockers: [DefineBlocker<"order" | "report">] };
};

const rest = {
  ship: { entry: false },
  refuse: { entry: false },
  report: { entry: true, blockers: ["order", "report"] },
  digest: { entry: true, blockers: true },
  either: { entry: true, blockers: true },
} as const;

describe("the catalogue", () => {
  it("has the types of the definitions", () => {
    const order = { entry: true, continuesTo: { ship: true, refuse: true } } as const;
    defineUnionJobTypes<Small>({ ...rest, order });
    defineUnionJobTypes<Small>({ ...rest, order: { ...order, input: cents } });
    defineUnionJobTypes<Small>({ ...rest, order, ship: { entry: false, output: anySchema } });
    defineUnionJobTypes<Small>({ ...rest, order, report: { entry: true, blockers: true } });
  });

  it("is refused where it says anything else", () => {
    const order = { entry: true, continuesTo: { ship: true, refuse: true } } as const;
    // @ts-expect-error a type is missing
    defineUnionJobTypes<Small>({ ...rest });
    // @ts-expect-error internal
    defineUnionJobTypes<Small>({ ...rest, order, ship: { entry: true } });
    // @ts-expect-error an entry type
    defineUnionJobTypes<Small>({ ...rest, order: { ...order, entry: false } });
    // @ts-expect-error a continuation is missing
    defineUnionJobTypes<Small>({ ...rest, order: { entry: true, continuesTo: { ship: true } } });
    defineUnionJobTypes<Small>({
      ...rest,
      // @ts-expect-error not a continuation
      order: { entry: true, continuesTo: { ship: true, refuse: true, order: true } },
    });
    defineUnionJobTypes<Small>({
      ...rest,
      order,
      // @ts-expect-error never continues
      ship: { entry: false, continuesTo: { ship: true } },
    });
    // @ts-expect-error the blockers are missing
    defineUnionJobTypes<Small>({ ...rest, order, report: { entry: true } });
    defineUnionJobTypes<Small>({
      ...rest,
      order,
      // @ts-expect-error the order of the blockers
      report: { entry: true, blockers: ["report", "order"] },
    });
    // @ts-expect-error an open end is not a list
    defineUnionJobTypes<Small>({ ...rest, order, digest: { entry: true, blockers: ["order"] } });
    // @ts-expect-error nor is a choice
    defineUnionJobTypes<Small>({ ...rest, order, either: { entry: true, blockers: ["order"] } });
    // @ts-expect-error waits for nothing
    defineUnionJobTypes<Small>({ ...rest, order, ship: { entry: false, blockers: ["order"] } });
    // @ts-expect-error a schema of something else
    defineUnionJobTypes<Small>({ ...rest, order, ship: { entry: false, output: cents } });
  });
});
