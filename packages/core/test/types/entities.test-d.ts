import { describe, expectTypeOf, it } from "vitest";
import type {
  BlockerSequences,
  JobInput,
  JobOf,
  JobOutput,
  JobSequenceOf,
} from "../../src/job-types/job-of.ts";
import type { Jsonified } from "../../src/job-types/json.ts";
import type {
  BlockedJob,
  CompletedJob,
  CreatedJob,
  FailedJob,
  Job,
  JobWithoutBlockers,
  PendingJob,
  RunningJob,
} from "../../src/model/job.ts";
import type { CompletedJobSequence, JobSequence } from "../../src/model/sequence.ts";
import type { Any, Definitions } from "./fixtures.ts";

describe("Jsonified", () => {
  it("leaves plain JSON types as they are", () => {
    type Plain = { a: string; b?: number; c: (boolean | null)[]; d: { e: "x" } };
    expectTypeOf<Jsonified<Plain>>().toEqualTypeOf<Plain>();
    expectTypeOf<Jsonified<string | null>>().toEqualTypeOf<string | null>();
    expectTypeOf<Jsonified<unknown>>().toBeUnknown();
    expectTypeOf<Jsonified<Any>>().toBeAny();
    expectTypeOf<Jsonified<never>>().toBeNever();
  });

  it("reads a date as a string, wherever it is", () => {
    expectTypeOf<Jsonified<Date>>().toEqualTypeOf<string>();
    expectTypeOf<Jsonified<{ a: Date | null; b?: Date; c: Date[] }>>().toEqualTypeOf<{
      a: string | null;
      b?: string;
      c: string[];
    }>();
    expectTypeOf<Jsonified<readonly [Date, ...Date[]]>>().toEqualTypeOf<
      readonly [string, ...string[]]
    >();
  });

  it("reads undefined as a missing property, and as null anywhere else", () => {
    expectTypeOf<Jsonified<{ a: Date | undefined }>>().toEqualTypeOf<{ a: string | undefined }>();
    expectTypeOf<Jsonified<(string | undefined)[]>>().toEqualTypeOf<(string | null)[]>();
    expectTypeOf<Jsonified<undefined>>().toEqualTypeOf<null>();
    expectTypeOf<Jsonified<void>>().toEqualTypeOf<null>();
  });

  it("keeps interfaces, recursion, brands and unions", () => {
    interface Tree {
      at: Date;
      children: Tree[];
    }
    type Read = Jsonified<Tree>;
    expectTypeOf<Read["at"]>().toEqualTypeOf<string>();
    expectTypeOf<Read["children"][number]["children"][number]["at"]>().toEqualTypeOf<string>();
    type Id = string & { readonly brand: "id" };
    expectTypeOf<Jsonified<{ id: Id; at: Date }>["id"]>().toEqualTypeOf<Id>();
    expectTypeOf<Jsonified<{ k: "a"; at: Date } | { k: "b" }>>().toEqualTypeOf<
      { k: "a"; at: string } | { k: "b" }
    >();
  });
});

describe("JobOf", () => {
  it("is the job with everything its definition says", () => {
    expectTypeOf<JobOf<"id", Definitions, "ship">>().toEqualTypeOf<
      Job<"id", "ship", { address: string }, readonly [], "order" | "reship", { parcel: string }>
    >();
  });

  it("takes the sequence types from its fourth parameter if given", () => {
    type Reshipped = JobOf<string, Definitions, "ship", "reship">;
    expectTypeOf<Reshipped["sequenceTypeName"]>().toEqualTypeOf<"reship">();
  });

  it("is a union of jobs for a union of names", () => {
    expectTypeOf<JobOf<string, Definitions, "send" | "poll">["typeName"]>().toEqualTypeOf<
      "send" | "poll"
    >();
  });

  it("refuses a name that is not defined", () => {
    // @ts-expect-error no such job type
    type Nope = JobOf<string, Definitions, "nope">;
    expectTypeOf<Nope>().not.toBeAny();
  });

  it("has the input and the output as they are read", () => {
    expectTypeOf<JobInput<Definitions, "charge">>().toEqualTypeOf<{ cents: number }>();
    expectTypeOf<JobInput<Definitions, "send">["at"]>().toEqualTypeOf<string>();
    expectTypeOf<JobOutput<Definitions, "order">>().toEqualTypeOf<{ skipped: true }>();
    expectTypeOf<JobOutput<Definitions, "charge">>().toBeNever();
  });
});

describe("the job statuses", () => {
  type Order = JobOf<string, Definitions, "order">;

  it("narrow by status", () => {
    expectTypeOf<BlockedJob<Order>["status"]>().toEqualTypeOf<"blocked">();
    expectTypeOf<PendingJob<Order>["status"]>().toEqualTypeOf<"pending">();
    expectTypeOf<CreatedJob<Order>["status"]>().toEqualTypeOf<"blocked" | "pending">();
    expectTypeOf<RunningJob<Order>["leaseVersion"]>().toEqualTypeOf<number>();
    expectTypeOf<FailedJob<Order>["lastAttemptError"]>().toEqualTypeOf<string>();
    expectTypeOf<PendingJob<Order>["lastAttemptError"]>().toEqualTypeOf<string | null>();
    expectTypeOf<CompletedJob<Order>["completedBy"]>().toEqualTypeOf<string | null>();
    expectTypeOf<CompletedJob<Order>["output"]>().toEqualTypeOf<{ skipped: true } | undefined>();
  });

  it("have only the fields of their status", () => {
    expectTypeOf<PendingJob<Order>>().not.toHaveProperty("leasedBy");
    expectTypeOf<RunningJob<Order>>().not.toHaveProperty("completedAt");
    expectTypeOf<FailedJob<Order>>().not.toHaveProperty("output");
  });

  it("JobWithoutBlockers leaves blockers out and the rest as it is", () => {
    type Bare = JobWithoutBlockers<RunningJob<Order>>;
    expectTypeOf<Bare>().not.toHaveProperty("blockers");
    expectTypeOf<Bare["leasedBy"]>().toEqualTypeOf<string>();
    expectTypeOf<Bare["input"]>().toEqualTypeOf<{ orderId: number }>();
  });
});

describe("JobSequenceOf", () => {
  it("ends with any output that can be reached", () => {
    expectTypeOf<JobSequenceOf<string, Definitions, "reship">>().toEqualTypeOf<
      JobSequence<string, "reship", { parcel: string }, { parcel: string }>
    >();
    type Order = CompletedJobSequence<JobSequenceOf<string, Definitions, "order">>;
    expectTypeOf<Order["output"]>().toEqualTypeOf<
      { skipped: true } | { parcel: string } | { refused: string }
    >();
  });

  it("is assignable to the sequence whose types are not known", () => {
    expectTypeOf<JobSequenceOf<string, Definitions, "order">>().toExtend<JobSequence>();
    expectTypeOf<JobOf<string, Definitions, "report">>().toExtend<Job>();
  });
});

describe("BlockerSequences", () => {
  it("are the sequences in order, choices and open ends kept", () => {
    type Report = BlockerSequences<string, Definitions, "report">;
    expectTypeOf<Report["length"]>().toEqualTypeOf<2>();
    expectTypeOf<Report[0]>().toEqualTypeOf<JobSequenceOf<string, Definitions, "send">>();
    expectTypeOf<Report[1]>().toEqualTypeOf<
      JobSequenceOf<string, Definitions, "order" | "reship">
    >();
    type Publish = BlockerSequences<string, Definitions, "publish">;
    expectTypeOf<Publish[0]["typeName"]>().toEqualTypeOf<"send">();
    expectTypeOf<Publish[7]["typeName"]>().toEqualTypeOf<"order">();
    expectTypeOf<BlockerSequences<string, Definitions, "send">>().toEqualTypeOf<readonly []>();
  });
});
