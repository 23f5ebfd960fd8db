import type { AnyStateAdapter, BaseStateAdapterContext } from "../../adapters/state-adapter.ts";
import type { StateJob } from "../../model/state-job.ts";

/** The jobs of a player's store in the order of their creation. */
export interface ModelWorld {
  readonly adapter: AnyStateAdapter;
  readonly jobs: StateJob[];
  readonly ids: Map<string, number>;
  /** Ids that are free at first, for jobs that are started with an id. */
  readonly freeIds: string[];
  /** The limit of the jobs under keys; null: they stand under none, since one of the stores has no keys. */
  readonly limitName: string | null;
}

/** Adds a job that the store has made. */
export const remember = ({ jobs, ids }: ModelWorld, job: StateJob): void => {
  if (ids.has(job.id)) return;
  ids.set(job.id, jobs.length);
  jobs.push(job);
};

/** The job a number stands for; undefined as long as there is none. */
export const jobAt = ({ jobs }: ModelWorld, index: number): StateJob | undefined =>
  jobs.length === 0 ? undefined : jobs[index % jobs.length];

/** The token an operation gives: of the current lease, of the one before, or none. */
export const leaseOf = async (
  { adapter }: ModelWorld,
  id: string,
  lease: "current" | "stale" | "none",
  context: BaseStateAdapterContext | undefined,
): Promise<number | null> => {
  if (lease === "none") return null;
  const [job] = await adapter.getJobs({ context, ids: [id] });
  const current = job?.leaseVersion ?? 1;
  return lease === "current" ? current : current - 1;
};
