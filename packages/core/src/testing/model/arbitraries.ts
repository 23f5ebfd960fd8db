import type { Arbitrary } from "fast-check";
import type * as FastCheckModule from "fast-check";
import { keyedTypeName, modelTypeNames } from "./operations.ts";
import type { ModelCompletion, ModelJob, ModelOperation, ModelWrite } from "./operations.ts";

// Imported lazily: only the model test needs it.
type FastCheck = typeof FastCheckModule;

const arbitraryJob = (fc: FastCheck): Arbitrary<ModelJob> =>
  fc.record({
    typeName: fc.constantFrom(...modelTypeNames),
    limitKey: arbitraryKey(fc),
    cost: fc.constantFrom(1, 1, 2),
    id: fc.constantFrom(null, null, null, null, 0, 1),
    priority: fc.constantFrom(0, 0, 0, 1, -1),
    schedule: fc.constantFrom("now" as const, "now" as const, "past" as const, "far" as const),
    key: fc.constantFrom(null, null, null, "once" as const, "ever" as const),
    onBlockerFailure: fc.constantFrom("wait" as const, "fail" as const, "continue" as const),
    input: fc.constantFrom("{}", "null", '"text"', "[1]"),
  });

const arbitraryKey = (fc: FastCheck) =>
  fc.constantFrom(null, null, null, "one" as const, "two" as const);

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

const arbitraryUpdate = (fc: FastCheck): Arbitrary<ModelWrite> =>
  fc.record({
    ...{ kind: fc.constant("update" as const), job: fc.nat(50), limitKey: arbitraryKey(fc) },
    input: fc.constantFrom(null, "{}", "[2]"),
    schedule: fc.constantFrom(null, "past" as const, "far" as const),
    priority: fc.constantFrom(null, 0, 2),
  });

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
    { weight: 2, arbitrary: arbitraryUpdate(fc) },
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
  const operation: Arbitrary<ModelOperation> = fc.oneof(
    { weight: 10, arbitrary: arbitraryWrite(fc) },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("acquire" as const),
        typeName: fc.constantFrom(...modelTypeNames, keyedTypeName),
        limit: fc.integer({ min: 1, max: 5 }),
        minSize: fc.constantFrom(null, null, 2, 3),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("boundKeys" as const),
        concurrency: fc.constantFrom(null, 1, 2),
        burst: fc.constantFrom(null, null, 2, 3),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant("boundKey" as const),
        key: fc.constantFrom("one" as const, "two" as const),
        concurrency: fc.constantFrom(null, 0, 1, 3),
        isPaused: fc.boolean(),
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
        typeName: fc.constantFrom(...modelTypeNames, keyedTypeName),
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
