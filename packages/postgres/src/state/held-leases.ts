// The leases that this adapter has acquired and not ended yet, by job. It sends the moment of the acquisition with the end of an
// attempt, and names leases of which all jobs have ended. The server checks both: after a restart, or for a job that another
// process acquired, it searches the rows of "lease" instead.
import type { LeaseReference } from "queuert/internal";

/** The end of an attempt. Without a worker, no lease ends. */
interface Ending {
  readonly jobId: string;
  readonly leaseVersion: number | null;
}

/** A row of "lease". */
export interface AcquiredLease {
  readonly acquiredAtUs: number;
  readonly untilUs: number;
  readonly firstOrdinal: number;
  readonly jobs: readonly LeaseReference[];
}

export interface SettledLease {
  readonly untilUs: number;
  readonly firstOrdinal: number;
}

export interface HeldLeases {
  acquired(leases: readonly AcquiredLease[]): void;
  /** Microseconds since 1970, or null: not known. */
  acquiredAtUs(ending: Ending): number | null;
  /** The attempts have ended, or the leases are lost. */
  ended(endings: readonly Ending[]): void;
  /** Leases of which all jobs have ended, each once. */
  takeSettled(): readonly SettledLease[];
}

interface OpenLease {
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

export const createHeldLeases = (): HeldLeases => {
  const entries = new Map<string, Entry>();
  let settled: SettledLease[] = [];
  let sweepSize = sweepSizeMin;

  const sweep = (nowUs: number): void => {
    if (entries.size < sweepSize) return;
    for (const [jobId, { lease }] of entries) {
      if (lease.untilUs + forgottenAfterUs < nowUs) entries.delete(jobId);
    }
    sweepSize = Math.max(sweepSizeMin, entries.size * 2);
  };

  return {
    acquired: (leases) => {
      for (const { acquiredAtUs, untilUs, firstOrdinal, jobs } of leases) {
        const lease: OpenLease = { acquiredAtUs, untilUs, firstOrdinal, openCount: jobs.length };
        for (const { jobId, leaseVersion } of jobs) entries.set(jobId, { leaseVersion, lease });
        sweep(acquiredAtUs);
      }
    },
    acquiredAtUs: ({ jobId, leaseVersion }) => {
      const entry = entries.get(jobId);
      return entry?.leaseVersion === leaseVersion ? entry.lease.acquiredAtUs : null;
    },
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
      const taken = settled;
      if (taken.length > 0) settled = [];
      return taken;
    },
  };
};
