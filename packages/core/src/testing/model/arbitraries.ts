import type { Arbitrary } from "fast-check";
import type * as FastCheckModule from "fast-check";
import { modelTypeNames } from "./operations.ts";
import type { ModelCompletion, ModelJob, ModelOperation, ModelWrite } from "./operations.ts";

// Imported lazily: only the model test needs it.
type FastCheck = typeof FastCheckModule;

const arbitraryJob = (fc: FastCheck): Arbitrary<ModelJob> =>
  fc.record({
    typeName: fc.constantFrom(...modelTypeNames),
    priority: fc.constantFrom(0, 0, 0, 1, -1),
    schedule: fc.constantFrom("now" as const, "now" as const, "past" as const, "far" as const),
    key: fc.constantFrom(null, null, null, "once" as const, "ever" as const),
    onBlockerFailure: fc.constantFrom("wait" as const, "fail" as const),
    input: fc.constantFrom("{}", "null", '"text"', "[1]"),
  });

const arbitraryCompletion = (fc: FastCheck): Arbitrary<ModelCompletion> =>
  fc.record({
    job: fc.nat(50),
    lease: arbitraryLease(fc),
    next: fc.option(arbitraryJob(fc), { nil: null }),
  });

const arbitraryLease = (fc: FastCheck) =>
  fc.constantFrom(
    "current" as const,
    "current" as const,
    "current" as const,
    "stale" as const,
    "none" as const,
  );

const arbitraryWrite = (fc: FastCheck): Arbitrary<ModelWrite> => {
  const job = fc.nat(50);
  const lease = arbitraryLease(fc);
  const kind = <TKind extends string>(name: TKind) => fc.constant(name);
  const create = fc.record({
    kind: kind("create"),
    jobs: fc.array(arbitraryJob(fc), { minLength: 1, maxLength: 4 }),
    under: fc.option(job, { nil: null, freq: 2 }),
  });
  const complete = fc.record({
    kind: kind("complete"),
    completions: fc.array(arbitraryCompletion(fc), { minLength: 1, maxLength: 4 }),
  });
  return fc.oneof(
    { weight: 4, arbitrary: create },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: kind("createBlocked"),
        job: arbitraryJob(fc),
        blockers: fc.array(job, { maxLength: 3 }),
      }),
    },
    { weight: 6, arbitrary: complete },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: kind("reschedule"),
        job,
        lease,
        schedule: fc.constantFrom(null, "past" as const, "far" as const),
        countsAttempt: fc.boolean(),
        error: fc.constantFrom(null, "error: it was asked to wait"),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: kind("fail"), job, lease }) },
    { weight: 2, arbitrary: fc.record({ kind: kind("retry"), job }) },
    { weight: 1, arbitrary: fc.record({ kind: kind("trigger"), job }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: kind("cancel"),
        jobs: fc.array(job, { minLength: 1, maxLength: 2 }),
        tree: fc.boolean(),
        dependants: fc.constantFrom("refuse" as const, "fail" as const, "cancel" as const),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: kind("lock"), job }) },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: kind("delete"),
        jobs: fc.array(job, { minLength: 1, maxLength: 2 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: kind("deleteById"), job }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: kind("look"),
        jobs: fc.array(job, { maxLength: 4 }),
        descending: fc.boolean(),
      }),
    },
  );
};

/** Lists of operations, short ones first when they shrink. */
export const arbitraryOperations = (
  fc: FastCheck,
  operationsMax: number,
): Arbitrary<ModelOperation[]> => {
  const typeName = fc.constantFrom(...modelTypeNames);
  const operation: Arbitrary<ModelOperation> = fc.oneof(
    { weight: 10, arbitrary: arbitraryWrite(fc) },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("acquire" as const),
        typeName,
        limit: fc.integer({ min: 1, max: 5 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("renew" as const),
        job: fc.nat(50),
        lease: arbitraryLease(fc),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("loseLease" as const),
        typeName,
        how: fc.constantFrom("reclaim" as const, "acquire" as const, "complete" as const),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("transaction" as const),
        writes: fc.array(arbitraryWrite(fc), { minLength: 1, maxLength: 4 }),
        commits: fc.boolean(),
      }),
    },
  );
  return fc.array(operation, { minLength: 1, maxLength: operationsMax, size: "max" });
};
