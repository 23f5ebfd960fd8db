import type { LimitsOptions } from "../../queuert-types.ts";
import type { BehaviourDefinitions } from "./definitions.ts";

/** The customer that the input of a job names. */
export const customerOf = ({ input }: { readonly input: unknown }): string =>
  (input as { readonly customer: string }).customer;

/** One job per customer. */
export const onePerCustomer: LimitsOptions<BehaviourDefinitions> = {
  declared: { task: { perKey: { concurrency: 1 } } },
  jobTypes: { task: { key: customerOf } },
};
