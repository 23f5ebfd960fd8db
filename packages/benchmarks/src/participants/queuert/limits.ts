// The limits of the workloads under limits.
import type { LimitDefinition, LimitsOptions } from "queuert";
import type { LimitedWorkload, Workload } from "../participant.ts";
import type { Definitions } from "./job-types.ts";

interface NamedLimit extends LimitDefinition {
  readonly name: "single" | "keyed";
}

interface LimitedWork {
  /** Of its jobs. */
  readonly typeName: "single" | "keyed";
  readonly limit: NamedLimit;
}

const onePerKey: NamedLimit = { name: "keyed", perKey: { concurrency: 1 } };

const limited: Readonly<Record<LimitedWorkload, LimitedWork>> = {
  keys: { typeName: "keyed", limit: onePerKey },
  "noisy-key": { typeName: "keyed", limit: onePerKey },
  // Never reached: the case measures the cost of counting.
  "key-rates": {
    typeName: "keyed",
    limit: { name: "keyed", perKey: { rate: { count: 100_000, perMs: 1_000 } } },
  },
  "type-limit": { typeName: "single", limit: { name: "single", concurrency: 2_000 } },
  "unused-limits": { typeName: "single", limit: onePerKey },
};

export const limitedWorkloads: readonly LimitedWorkload[] = [
  "keys",
  "noisy-key",
  "key-rates",
  "type-limit",
  "unused-limits",
];

/** Undefined: the workload has no limit. */
export const limitedWorkOf = (workload: Workload): LimitedWork | undefined =>
  (limited as Partial<Record<Workload, LimitedWork>>)[workload];

/** Nothing is declared: a limit is set when a workload under it begins. */
export const limitsOptions: LimitsOptions<Definitions> = {
  jobTypes: { keyed: { key: ({ input }) => input.key ?? "" } },
};

export const noisyKey = "noisy";
const keyCount = 10_000;

/** The next of the keys, in turn. */
export const createNextKey = (): (() => string) => {
  let index = 0;
  return () => `key ${index++ % keyCount}`;
};
