import { describe, expectTypeOf, it } from "vitest";
import type {
  AnyJobOf,
  BlockerJobTypes,
  BlockerSequences,
  CompletedBlockerSequences,
  ContinuationJobTypes,
  ExternalJobTypeDefinitions,
  ExternalJobTypes,
  HasBlockers,
  JobInput,
  JobOf,
  JobOutput,
  JobSequenceOf,
  JobTypes,
  ProcessedJobOf,
  SequenceJobTypes,
  SequenceOutput,
  SequenceTypesReaching,
} from "../../src/index.ts";
import type * as jobOf from "../../src/job-types/job-of.ts";
import type { Definitions } from "./fixtures.ts";

type Types = JobTypes<Definitions>;
type Id = `job-${number}`;

describe("a type helper", () => {
  it("takes `typeof jobTypes` as it takes the definitions", () => {
    expectTypeOf<JobInput<Types, "order">>().toEqualTypeOf<JobInput<Definitions, "order">>();
    expectTypeOf<JobOutput<Types, "send">>().toEqualTypeOf<JobOutput<Definitions, "send">>();
    expectTypeOf<JobOf<Id, Types, "order">>().toEqualTypeOf<JobOf<Id, Definitions, "order">>();
    expectTypeOf<AnyJobOf<Id, Types, "order" | "send">>().toEqualTypeOf<
      AnyJobOf<Id, Definitions, "order" | "send">
    >();
    expectTypeOf<ProcessedJobOf<Id, Types, "report">>().toEqualTypeOf<
      ProcessedJobOf<Id, Definitions, "report">
    >();
    expectTypeOf<JobSequenceOf<Id, Types, "order">>().toEqualTypeOf<
      JobSequenceOf<Id, Definitions, "order">
    >();
    expectTypeOf<SequenceOutput<Types, "order">>().toEqualTypeOf<
      SequenceOutput<Definitions, "order">
    >();
    expectTypeOf<BlockerSequences<Id, Types, "report">>().toEqualTypeOf<
      BlockerSequences<Id, Definitions, "report">
    >();
    expectTypeOf<CompletedBlockerSequences<Id, Types, "report">>().toEqualTypeOf<
      CompletedBlockerSequences<Id, Definitions, "report">
    >();
  });

  it("names the same types", () => {
    expectTypeOf<ExternalJobTypeDefinitions<Types>>().toEqualTypeOf<
      ExternalJobTypeDefinitions<Definitions>
    >();
    expectTypeOf<ExternalJobTypes<Types>>().toEqualTypeOf<
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
    expectTypeOf<ContinuationJobTypes<Types, "order">>().toEqualTypeOf<"charge" | "ship">();
    expectTypeOf<SequenceJobTypes<Types, "send">>().toEqualTypeOf<"send">();
    expectTypeOf<SequenceTypesReaching<Types, "charge">>().toEqualTypeOf<"order">();
    expectTypeOf<HasBlockers<Types, "report">>().toEqualTypeOf<true>();
    expectTypeOf<BlockerJobTypes<Types, "report">>().toEqualTypeOf<
      BlockerJobTypes<Definitions, "report">
    >();
  });

  it("is that of the walk", () => {
    expectTypeOf<JobOf<Id, Types, "ship">>().toEqualTypeOf<jobOf.JobOf<Id, Definitions, "ship">>();
    expectTypeOf<JobOf<Id, Types, "ship", "order">["sequenceTypeName"]>().toEqualTypeOf<"order">();
  });

  it("refuses a name that is not defined", () => {
    // @ts-expect-error -- misspelt
    expectTypeOf<JobOf<Id, Types, "ordre">>().toBeNever();
    // @ts-expect-error -- misspelt
    expectTypeOf<JobOf<Id, Definitions, "ordre">>().toBeNever();
  });

  it("works in a generic function over definitions", () => {
    const inputOf = <TDefinitions, TTypeName extends keyof TDefinitions & string>(
      job: JobOf<Id, TDefinitions, TTypeName>,
    ): JobOf<Id, TDefinitions, TTypeName> => job;
    expectTypeOf(inputOf<Definitions, "order">).returns.toEqualTypeOf<
      JobOf<Id, Definitions, "order">
    >();
  });
});
