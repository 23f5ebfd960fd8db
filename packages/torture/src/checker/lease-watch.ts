// Queries the running jobs and their leases repeatedly while a run lasts. The store does not record
// how long a lost job stayed lost.
import type { AnyStateAdapter, StateJob } from "queuert";
import { errandTypeNames, keyedTypeNames, tenants } from "../load/errand-types.ts";
import type { Crowd } from "./control-history.ts";
import { errandOf } from "./errand-history.ts";
import { groupBy } from "./group-by.ts";
import type { SeenLease } from "./history.ts";
import { nameOf } from "./stored-plan.ts";

const pageSize = 500;

const watchedTypeNames = ["step", "gather", ...errandTypeNames];

/** The crowds that a job is part of. */
const crowdsOf = (job: StateJob): readonly Pick<Crowd, "typeName" | "key">[] => {
  if (job.typeName === "step" || job.typeName === "gather") {
    return [{ typeName: job.typeName, key: null }];
  }
  if (!keyedTypeNames.some((name) => name === job.typeName)) return [];
  const { key } = errandOf(job);
  return [
    { typeName: tenants, key: null },
    { typeName: tenants, key },
  ];
};

export class LeaseWatch {
  readonly #seen = new Map<string, SeenLease>();
  readonly #crowds: Crowd[] = [];
  readonly #toleranceMs: number;

  /** How far the clock of the observer may be from that of the store. */
  constructor(toleranceMs = 0) {
    this.#toleranceMs = toleranceMs;
  }

  /** One look. */
  async look(state: Pick<AnyStateAdapter, "listJobs">, now: () => number): Promise<void> {
    const askedAt = now();
    const jobs = await state.listJobs({
      ...{ typeNames: watchedTypeNames, statuses: ["running"], sequenceId: null },
      ...{ rootSequenceId: null, createdFrom: null, createdTo: null },
      ...{ order: "asc", limit: pageSize, afterOrdinal: null },
    });
    const answeredAt = now();
    for (const job of jobs) {
      if (job.leasedUntil === null || job.leasedBy === null) continue;
      const { id: jobId, leaseVersion, leasedBy: holder } = job;
      const leasedUntil = job.leasedUntil.getTime();
      const acquiredAt = job.lastAttemptAt?.getTime() ?? 0;
      const key = `${jobId}/${leaseVersion}/${holder}`;
      const before = this.#seen.get(key);
      this.#seen.set(key, {
        ...{ jobId, typeName: job.typeName, leaseVersion, acquiredAt, holder, leasedUntil },
        path: before?.path ?? nameOf(job),
        firstSeenAt: before?.firstSeenAt ?? askedAt,
        lastSeenAt: askedAt,
        aheadMs: Math.max(before?.aheadMs ?? 0, leasedUntil - answeredAt),
      });
    }
    // Acquired before the question and running in the answer: at the time of the question all of them were running. One whose
    // lease is unexpired then held it throughout, since an expired one under a limit is not renewed.
    const together = jobs.filter(
      ({ lastAttemptAt, leasedUntil }) =>
        (lastAttemptAt?.getTime() ?? Number.POSITIVE_INFINITY) <= askedAt - this.#toleranceMs &&
        (leasedUntil?.getTime() ?? 0) > answeredAt + this.#toleranceMs,
    );
    this.#addCrowds(together, askedAt);
  }

  #addCrowds(together: readonly StateJob[], at: number): void {
    const members = together.flatMap((job) =>
      crowdsOf(job).map((crowd) => ({ ...crowd, acquiredAt: job.lastAttemptAt?.getTime() ?? 0 })),
    );
    for (const own of groupBy(members, ({ typeName, key }) => `${typeName}/${key}`).values()) {
      const [first] = own;
      if (first === undefined) continue;
      const { typeName, key } = first;
      const acquiredAt = own.map((one) => one.acquiredAt).toSorted((a, b) => a - b);
      this.#crowds.push({ typeName, key, at, acquiredAt });
    }
  }

  get crowds(): readonly Crowd[] {
    return this.#crowds;
  }

  get leases(): readonly SeenLease[] {
    return [...this.#seen.values()];
  }
}
