// The errands of the load: jobs under keys of a limit that two types share, and jobs that are processed in batches. They may be
// started with an id, and operators' plans change them.
export interface Errand {
  /** Of its own: no other start has it. */
  readonly name: string;
  readonly key: string;
  /** The tokens that its start takes from the rate of its key. */
  readonly cost: number;
  readonly workMs: number;
  /** Fails while `attempt` is not above this. */
  readonly failTimes: number;
  /** Asks so many times to be run again later. Only in batches. */
  readonly reschedules: number;
  /** Whether its completion writes a row. */
  readonly writesRow: boolean;
  /** Continues with an errand of this name. Only in batches. */
  readonly next: string | null;
}

/** The limit that both types under keys stand under. It has the name of one of them, so that no client must declare it. */
export const tenants = "errand";

export const keyedTypeNames = ["errand", "courier"] as const;
export type KeyedTypeName = (typeof keyedTypeNames)[number];

export const errandTypeNames: readonly string[] = [...keyedTypeNames, "bulk"];

export const errandKeys = ["k0", "k1", "k2", "noisy"] as const;

const given = {
  limit: tenants,
  key: ({ input }: { readonly input: Errand }): string => input.key,
  cost: ({ input }: { readonly input: Errand }): number => input.cost,
};

/** For every client of the load. */
export const errandLimits: {
  readonly jobTypes: Readonly<Record<KeyedTypeName, typeof given>>;
} = { jobTypes: { errand: given, courier: given } };

/** How jobs of the type `bulk` are taken together. */
export const bulkBatch = { maxSize: 5, minSize: 3, maxWaitMs: 400 } as const;

/** Stands before the name in the row of an errand. */
export const errandRowPrefix = "errand:";
