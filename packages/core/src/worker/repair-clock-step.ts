// After a step back of the store's clock, due jobs and leases of vanished workers would wait until the clock has caught up.
// They are made due by the statements for operators: an acquisition never needs another condition or index.
import { leaseExpiredError } from "../adapter-kit/stored-texts.ts";
import { limits } from "../defaults.ts";
import type { Engine } from "../engine.ts";
import type { HeldAttempts } from "../lifecycle/process-job/attempt.ts";
import { toReference } from "../model/job.ts";
import type { StateJob } from "../model/state-job.ts";
import type { JobStatus } from "../model/status.ts";

export interface ClockRepairOptions {
  readonly workerId: string;
  /** The lease of each type of the worker. */
  readonly leaseMs: ReadonlyMap<string, number>;
  /** Held attempts: their leases are renewed here. */
  readonly attempts: HeldAttempts;
  readonly stopping: AbortSignal;
  /** The store's clock, by the last measurement. */
  readonly storeNow: () => number;
}

interface SeenLease {
  readonly leaseVersion: number;
  readonly leasedUntil: number;
  readonly seenAt: number;
}

export class ClockRepair {
  readonly #engine: Engine;
  readonly #options: ClockRepairOptions;
  #leases: ReadonlyMap<string, SeenLease> = new Map();

  constructor(engine: Engine, options: ClockRepairOptions) {
    this.#engine = engine;
    this.#options = options;
  }

  /** Jobs that were due at once when they were created, before the step. */
  async makeDue(): Promise<void> {
    const storeNow = this.#options.storeNow();
    for await (const page of this.#pages("pending", new Date(storeNow))) {
      await this.#trigger(
        page.filter(({ scheduledAt, createdAt }) => scheduledAt <= createdAt),
        storeNow,
      );
    }
  }

  /**
   * Leases that end later than an acquisition of now could set them, and that were not renewed for the length of a lease. A
   * renewal by a living worker sets the end anew. The lease version is checked by the store.
   */
  async reclaim(): Promise<void> {
    const now = this.#engine.clock.now();
    const leases = new Map<string, SeenLease>();
    const stale: StateJob[] = [];
    for await (const page of this.#pages("running", null)) {
      for (const job of page) {
        const leasedUntil = job.leasedUntil?.getTime() ?? 0;
        const leaseMs = this.#options.leaseMs.get(job.typeName) ?? 0;
        if (leasedUntil <= this.#options.storeNow() + leaseMs || this.#isOwn(job)) continue;
        const seen = this.#leases.get(job.id);
        const isSame = seen?.leaseVersion === job.leaseVersion && seen.leasedUntil === leasedUntil;
        const seenAt = isSame ? seen.seenAt : now;
        leases.set(job.id, { leaseVersion: job.leaseVersion, leasedUntil, seenAt });
        if (now - seenAt >= leaseMs) stale.push(job);
      }
    }
    this.#leases = leases;
    for (let from = 0; from < stale.length; from += limits.reclaimBatchMax) {
      await this.#takeAway(stale.slice(from, from + limits.reclaimBatchMax));
    }
  }

  async #takeAway(jobs: readonly StateJob[]): Promise<void> {
    const { workerId } = this.#options;
    const results = await this.#engine.state.rescheduleJobs({
      jobs: jobs.map(({ id, leaseVersion, leasedBy }) => ({
        jobId: id,
        leaseVersion,
        schedule: null,
        countsAttempt: true,
        error: leaseExpiredError(leasedBy ?? ""),
      })),
    });
    const reclaimed = jobs.filter((_job, index) => results[index]?.kind === "rescheduled");
    const effects = this.#engine.effects.create();
    for (const job of reclaimed) {
      effects.jobScheduled(job.typeName);
      effects.ownershipLost(job.id);
      const leasedBy = job.leasedBy ?? "";
      effects.emit("jobReaped", () => ({ ...toReference(job), leasedBy, workerId }));
    }
    effects.flush();
    // They were due when they were acquired.
    await this.#trigger(reclaimed, this.#options.storeNow());
  }

  async #trigger(jobs: readonly StateJob[], storeNow: number): Promise<void> {
    const waiting = jobs.filter(({ scheduledAt }) => scheduledAt.getTime() > storeNow);
    if (waiting.length === 0) return;
    const results = await this.#engine.state.triggerJobs({ ids: waiting.map(({ id }) => id) });
    const effects = this.#engine.effects.create();
    for (const result of results) {
      if (result.kind === "triggered") effects.jobScheduled(result.job.typeName);
    }
    effects.flush();
  }

  /** Jobs of the worker's types, a page at a time. */
  async *#pages(
    status: JobStatus,
    createdFrom: Date | null,
  ): AsyncGenerator<readonly StateJob[], void> {
    const limit = limits.reclaimBatchMax;
    for (let afterOrdinal: number | null = null; !this.#options.stopping.aborted;) {
      const page: readonly StateJob[] = await this.#engine.state.listJobs({
        typeNames: [...this.#options.leaseMs.keys()],
        statuses: [status],
        sequenceId: null,
        rootSequenceId: null,
        createdFrom,
        createdTo: null,
        order: "desc",
        limit,
        afterOrdinal,
      });
      yield page;
      const last = page.at(-1);
      if (last === undefined || page.length < limit) return;
      afterOrdinal = last.ordinal;
    }
  }

  #isOwn({ id, leaseVersion }: StateJob): boolean {
    for (const { job } of this.#options.attempts) {
      if (job.id === id && job.leaseVersion === leaseVersion) return true;
    }
    return false;
  }
}
