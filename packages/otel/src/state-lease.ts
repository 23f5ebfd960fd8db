// Elects the process that queries the store for its state, by the contract that every state adapter keeps. There is one
// job of a type that no worker implements. The observing process acquires it and renews its lease; when the process is
// gone, another one acquires it.
import type { AnyStateAdapter } from "queuert";

export type LeasingState = Pick<
  AnyStateAdapter,
  "createJobs" | "acquireJobs" | "renewLeases" | "rescheduleJobs"
>;

/** The type of that job. Lists show it as running while a process observes the store. */
export const observationTypeName = "queuert.observe_state";

interface Held {
  readonly jobId: string;
  readonly leaseVersion: number;
  readonly since: number;
  renewedAt: number;
}

export interface StateLease {
  /** Acquires the job if it is free. Resolves to whether it is held. */
  take(): Promise<boolean>;
  /** Renews the lease when half of it is over. Resolves to whether it is still held. */
  keep(): Promise<boolean>;
  release(): Promise<void>;
  /** For how long the job has been running; null: this process does not hold it. */
  heldForMs(): number | null;
}

/** `holderId`: the `leasedBy` of the job. */
export const createStateLease = (
  state: LeasingState,
  holderId: string,
  leaseMs: number,
): StateLease => {
  let held: Held | null = null;

  const acquire = async (): Promise<boolean> => {
    const now = performance.now();
    const { jobs } = await state.acquireJobs({
      workerId: holderId,
      limit: 1,
      types: [{ typeName: observationTypeName, leaseMs, limit: 1 }],
    });
    const [acquired] = jobs;
    if (acquired === undefined) return false;
    const { id: jobId, leaseVersion } = acquired.job;
    held = { jobId, leaseVersion, since: now, renewedAt: now };
    return true;
  };

  return {
    // Another process has the job, or there is none.
    take: async () => (await acquire()) || ((await createJob(state)) && (await acquire())),
    keep: async () => {
      if (held === null) return false;
      const now = performance.now();
      if (now - held.renewedAt < leaseMs / 2) return true;
      const { jobId, leaseVersion } = held;
      const [check] = await state.renewLeases({ leases: [{ jobId, leaseVersion, leaseMs }] });
      if (check?.kind === "held") held.renewedAt = now;
      else held = null;
      return held !== null;
    },
    release: async () => {
      if (held === null) return;
      const { jobId, leaseVersion } = held;
      held = null;
      await state.rescheduleJobs({
        jobs: [{ jobId, leaseVersion, schedule: null, countsAttempt: false, error: null }],
      });
    },
    heldForMs: () => (held === null ? null : performance.now() - held.since),
  };
};

/** Resolves to whether the job had to be created. If several processes try at once, one creates it. */
const createJob = async (state: LeasingState): Promise<boolean> => {
  const [created] = await state.createJobs({
    jobs: [
      {
        kind: "entry",
        typeName: observationTypeName,
        input: "null",
        schedule: null,
        priority: 0,
        awaitsBlockers: false,
        onBlockerFailure: "wait",
        traceContext: null,
        rootSequenceId: null,
        originId: null,
        deduplication: { key: observationTypeName, strategy: "completed", windowMs: null },
      },
    ],
  });
  return created?.deduplicated === false;
};
