import type { AnyStateAdapter } from "../../../src/adapters/state-adapter.ts";

/** The lease that a store without lease versions would assume: the current one. */
export const currentVersions = async (
  good: AnyStateAdapter,
  context: object | undefined,
  ids: readonly string[],
): Promise<Map<string, number>> => {
  const found = await good.getJobs({ context, ids });
  return new Map(found.flatMap((job) => (job === undefined ? [] : [[job.id, job.leaseVersion]])));
};
