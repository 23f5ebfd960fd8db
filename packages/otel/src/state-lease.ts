// Who of many processes asks the store for its state. They agree through the store itself, with nothing but the contract every
// state adapter keeps: one job of a type that no worker implements, taken and renewed like any other. It is held by the
// process that observes, and taken over when that process is gone.
import type { AnyStateAdapter } from "queuert";

export type LeasingState = Pick<
  AnyStateAdapter,
  "createJobs" | "acquireJobs" | "renewLeases" | "rescheduleJobs"
>;

/** The type of that one job. It shows in lists as running for as long as somebody observes. */
export const observationTypeName = "queuert.observe_state";

interface Held {
  readonly jobId: string;
  readonly leaseVersion: number;
  readonly since: number;
  renewedAt: number;
}

export interface StateLease {
  /** Takes it if it is free. Answers whether it is held. */
  take(): Promise<boolean>;
  /** Renews it when half of it is over. Answers whether it is still held. */
  keep(): Promise<boolean>;
  release(): Promise<void>;
  /** For how long its job has been running; null: it is not held here. */
  heldForMs(): number | null;
}

/** `holderId` is what the job is leased by. */
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
    // Nothing there to take: somebody else has it, or it has never been, or was deleted.
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

/** Answers whether it had to be made. However many processes try at once, there is one. */
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
