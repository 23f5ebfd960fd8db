import type { BaseStateAdapterContext } from "../../adapters/state-adapter.ts";
import { sorted } from "./normalise.ts";
import type { ModelWrite } from "./operations.ts";
import { jobAt } from "./world.ts";
import type { ModelWorld } from "./world.ts";

type Context = BaseStateAdapterContext | undefined;

const everything = {
  limit: 1_000,
  afterOrdinal: null,
  typeNames: null,
  statuses: null,
  rootSequenceId: null,
  createdFrom: null,
  createdTo: null,
} as const;

/** Reads some jobs in every way there is. */
export const look = async (
  world: ModelWorld,
  { jobs, descending }: Extract<ModelWrite, { readonly kind: "look" }>,
  context: Context,
): Promise<unknown> => {
  const { adapter } = world;
  const found = jobs.flatMap((index) => jobAt(world, index) ?? []);
  const ids = found.map(({ id }) => id);
  const page = { ...everything, order: descending ? "desc" : "asc", limit: 3 } as const;
  return {
    jobs: await adapter.getJobs({ context, ids }),
    sequences: await adapter.getSequences({ context, ids: found.map((job) => job.sequenceId) }),
    blockers: await adapter.getBlockers({ context, ids }),
    edges: sorted(
      (await adapter.listBlockerEdges({ context, ids })).map(
        ({ jobId, index, blockerSequenceId }) => ({
          job: world.ids.get(jobId),
          index,
          blocker: world.ids.get(blockerSequenceId),
        }),
      ),
    ),
    listedJobs: await adapter.listJobs({ context, ...page, sequenceId: null }),
    listedPending: await adapter.listSequences({ context, ...page, statuses: ["pending"] }),
    listedTree: await adapter.listJobs({
      context,
      ...page,
      sequenceId: null,
      rootSequenceId: found[0]?.rootSequenceId ?? null,
      statuses: ["blocked", "running", "completed", "failed", "cancelled"],
    }),
  };
};

/** The whole store. */
export const lookAtEverything = async ({ adapter, jobs }: ModelWorld): Promise<unknown> => {
  const { counts, ...summary } = await adapter.summarize({ runningLongMs: 0 });
  const ids = jobs.map(({ id }) => id);
  return {
    jobs: await adapter.listJobs({ ...everything, order: "asc", sequenceId: null }),
    sequences: await adapter.listSequences({ ...everything, order: "asc" }),
    blockers: await adapter.getBlockers({ ids }),
    summary: {
      ...summary,
      // The age of running jobs differs by milliseconds here.
      runningLongCount: "any",
      counts: counts.filter(({ count }) => count > 0),
    },
  };
};
