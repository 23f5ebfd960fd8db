import type { AnyStateAdapter } from "../../../src/adapters/state-adapter.ts";

/** What a store without fencing would take for the lease: whichever is there. */
export const currentVersions = async (
  good: AnyStateAdapter,
  context: object | undefined,
  ids: readonly string[],
): Promise<Map<string, number>> => {
  const found = await good.getJobs({ context, ids });
  return new Map(found.flatMap((job) => (job === undefined ? [] : [[job.id, job.leaseVersion]])));
};
