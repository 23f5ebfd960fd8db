import type { AnyStateAdapter, StateJob } from "queuert";

const pageSize = 500;

/** Every job of these types, page by page, in the order of creation. */
export const listAllJobs = async (
  state: Pick<AnyStateAdapter, "listJobs">,
  typeNames: readonly string[],
): Promise<readonly StateJob[]> => {
  const jobs: StateJob[] = [];
  for (;;) {
    const page = await state.listJobs({
      ...{ typeNames, statuses: null, sequenceId: null, rootSequenceId: null },
      ...{ createdFrom: null, createdTo: null, order: "asc", limit: pageSize },
      afterOrdinal: jobs.at(-1)?.ordinal ?? null,
    });
    jobs.push(...page);
    if (page.length < pageSize) return jobs;
  }
};
