// Queries the running jobs and their leases repeatedly while a run lasts. The store does not record
// how long a lost job stayed lost.
import type { AnyStateAdapter } from "queuert";
import type { SeenLease } from "./history.ts";
import { pathOf } from "./stored-plan.ts";

const pageSize = 500;

export class LeaseWatch {
  readonly #seen = new Map<string, SeenLease>();

  /** One look. */
  async look(state: Pick<AnyStateAdapter, "listJobs">, now: () => number): Promise<void> {
    const askedAt = now();
    const jobs = await state.listJobs({
      ...{ typeNames: ["step", "gather"], statuses: ["running"], sequenceId: null },
      ...{ rootSequenceId: null, createdFrom: null, createdTo: null },
      ...{ order: "asc", limit: pageSize, afterOrdinal: null },
    });
    const answeredAt = now();
    for (const job of jobs) {
      if (job.leasedUntil === null || job.leasedBy === null) continue;
      const { id: jobId, leaseVersion, leasedBy: holder } = job;
      const leasedUntil = job.leasedUntil.getTime();
      const key = `${jobId}/${leaseVersion}/${holder}`;
      const before = this.#seen.get(key);
      this.#seen.set(key, {
        ...{ jobId, leaseVersion, holder, leasedUntil },
        path: before?.path ?? pathOf(job),
        firstSeenAt: before?.firstSeenAt ?? askedAt,
        lastSeenAt: askedAt,
        aheadMs: Math.max(before?.aheadMs ?? 0, leasedUntil - answeredAt),
      });
    }
  }

  get leases(): readonly SeenLease[] {
    return [...this.#seen.values()];
  }
}
