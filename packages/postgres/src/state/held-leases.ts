// The leases that this adapter has acquired and not ended yet, by job. It sends the moment of the acquisition with the end of an
// attempt, and names leases of which all jobs have ended. The server checks both: after a restart, or for a job that another
// process acquired, it searches the rows of "lease" instead. Below: the rows that one acquisition has inserted.
import type { AcquireJobsParams, StateJob } from "queuert/internal";
import { toDate } from "../job-row.ts";

/** The end of an attempt. Without a worker, no lease ends. */
interface Ending {
  readonly jobId: string;
  readonly leaseVersion: number | null;
}

type LeasedJob = Pick<StateJob, "id" | "leaseVersion">;

/** A row of "lease". */
export interface AcquiredLease {
  readonly acquiredAtUs: number;
  readonly untilUs: number;
  readonly firstOrdinal: number;
  readonly jobs: readonly LeasedJob[];
}

export interface SettledLease {
  readonly untilUs: number;
  readonly firstOrdinal: number;
}

export interface HeldLeases {
  acquired(workerId: string, leases: readonly AcquiredLease[]): void;
  /** Microseconds since 1970, or null: not known. */
  acquiredAtUs(ending: Ending): number | null;
  /** The worker that has acquired the job, or null: not known. */
  workerId(ending: Ending): string | null;
  /** The attempts have ended, or the leases are lost. */
  ended(endings: readonly Ending[]): void;
  /** Leases of which all jobs have ended, each once. Empty until there are several. */
  takeSettled(): readonly SettledLease[];
}

interface OpenLease {
  readonly workerId: string;
  readonly acquiredAtUs: number;
  readonly untilUs: number;
  readonly firstOrdinal: number;
  openCount: number;
}

interface Entry {
  readonly leaseVersion: number;
  readonly lease: OpenLease;
}

// A job that is neither settled nor renewed, such as one that was deleted, is forgotten an hour after its lease.
const forgottenAfterUs = 3_600_000_000;
const sweepSizeMin = 10_000;
const settledMax = 1_000;
const renewedAfter = 1_000;
// Their deletion is a tenth of the server's work for one job. Entries of ended attempts are dead, so the rows may stay for a while.
const settledMin = 8;

export const createHeldLeases = (): HeldLeases => {
  let entries = new Map<string, Entry>();
  let addedCount = 0;
  let settled: SettledLease[] = [];
  let sweepSize = sweepSizeMin;

  /**
   * A map that entries come to and leave grows by new tables. V8 links each table to the next, so one that has become old keeps
   * all later ones until the next full collection. A new map has no such link.
   */
  const renewMap = (): void => {
    if (addedCount < renewedAfter + 4 * entries.size) return;
    entries = new Map(entries);
    addedCount = 0;
  };

  const sweep = (nowUs: number): void => {
    if (entries.size < sweepSize) return;
    for (const [jobId, { lease }] of entries) {
      if (lease.untilUs + forgottenAfterUs < nowUs) entries.delete(jobId);
    }
    sweepSize = Math.max(sweepSizeMin, entries.size * 2);
  };

  const leaseOf = ({ jobId, leaseVersion }: Ending): OpenLease | undefined => {
    const entry = entries.get(jobId);
    return entry?.leaseVersion === leaseVersion ? entry.lease : undefined;
  };

  return {
    acquired: (workerId, leases) => {
      for (const { acquiredAtUs, untilUs, firstOrdinal, jobs } of leases) {
        const bounds = { workerId, acquiredAtUs, untilUs, firstOrdinal };
        const lease: OpenLease = { ...bounds, openCount: jobs.length };
        for (const { id, leaseVersion } of jobs) entries.set(id, { leaseVersion, lease });
        addedCount += jobs.length;
        sweep(acquiredAtUs);
      }
      renewMap();
    },
    acquiredAtUs: (ending) => leaseOf(ending)?.acquiredAtUs ?? null,
    workerId: (ending) => leaseOf(ending)?.workerId ?? null,
    ended: (endings) => {
      for (const { jobId, leaseVersion } of endings) {
        const entry = entries.get(jobId);
        if (entry?.leaseVersion !== leaseVersion) continue;
        entries.delete(jobId);
        entry.lease.openCount -= 1;
        if (entry.lease.openCount === 0 && settled.length < settledMax) settled.push(entry.lease);
      }
    },
    takeSettled: () => {
      if (settled.length < settledMin) return [];
      const taken = settled;
      settled = [];
      return taken;
    },
  };
};

/** The fields that all jobs of a type share in one acquisition, and those jobs. */
export interface Lease extends AcquiredLease {
  firstOrdinal: number;
  readonly jobs: LeasedJob[];
  readonly typeName: string;
  readonly workerId: string;
  readonly takenAt: Date;
  readonly leasedUntil: Date;
}

/** Puts a job under its lease. */
export const addTo = (lease: Lease, job: StateJob): void => {
  lease.firstOrdinal = Math.min(lease.firstOrdinal, job.ordinal);
  lease.jobs.push(job);
};

/** Jobs under a key have a lease for each queue, with the times of their type. */
export const leaseOfQueue = (leases: Map<string, Lease>, queue: string, ofType: Lease): Lease => {
  const lease = leases.get(queue) ?? { ...ofType, firstOrdinal: Infinity, jobs: [] };
  leases.set(queue, lease);
  return lease;
};

/** The lease of the jobs of one type. */
export const toLease = (
  workerId: string,
  { typeName, leaseMs }: AcquireJobsParams["types"][number],
  acquiredAtUs: number,
): Lease => {
  const takenAt = toDate(acquiredAtUs);
  return {
    acquiredAtUs,
    untilUs: Math.round(acquiredAtUs + leaseMs * 1_000),
    firstOrdinal: Infinity,
    jobs: [],
    typeName,
    workerId,
    takenAt,
    leasedUntil: new Date(takenAt.getTime() + leaseMs),
  };
};
