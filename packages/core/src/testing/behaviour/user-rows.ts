import type { AnyStateAdapter, BaseStateAdapterContext } from "../../adapters/state-adapter.ts";
import { aJob } from "../factories.ts";

/**
 * A table of the user's own, in the same database as the jobs. The suites write to it in the
 * transactions of callbacks, and read the result.
 */
export interface UserRows {
  /** Writes a row in this transaction, which is one of the first adapter's. */
  readonly insert: (context: BaseStateAdapterContext, key: string) => Promise<void>;
  /** The keys of all committed rows, in the order in which they were written. */
  readonly list: () => Promise<readonly string[]>;
}

const typeName = "user-row";
const rowsMax = 1_000;

/**
 * For stores that keep nothing but jobs: jobs of a type without a worker take the place of the
 * rows.
 */
export const jobsAsUserRows = (stateAdapter: AnyStateAdapter): UserRows => ({
  insert: async (context, key) => {
    await stateAdapter.createJobs({
      context,
      jobs: [aJob({ typeName, input: JSON.stringify(key) })],
    });
  },
  list: async () => {
    const jobs = await stateAdapter.listJobs({
      typeNames: [typeName],
      statuses: null,
      sequenceId: null,
      rootSequenceId: null,
      createdFrom: null,
      createdTo: null,
      order: "asc",
      afterOrdinal: null,
      limit: rowsMax,
    });
    return jobs.map(({ input }) => JSON.parse(input) as string);
  },
});
