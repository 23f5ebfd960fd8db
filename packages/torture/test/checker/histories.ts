// Small histories, sound by default: a test overrides the part that it plants.
import type { BlockerEdge, StateJob } from "queuert";
import type {
  Began,
  Ended,
  History,
  SeenLease,
  Started,
  RemovedJob,
} from "../../src/checker/history.ts";
import { type ControlSeen, nothingSeen } from "../../src/checker/control-history.ts";
import type { Plan } from "../../src/load/plan.ts";

/** An instant of the run, in milliseconds after its beginning. */
export const instant = (ms: number): number => 1_700_000_000_000 + ms;

export const aPlan = (path: string, override: Partial<Plan> = {}): Plan => ({
  ...{ path, failTimes: 0, hangTimes: 0, reschedules: 0, mode: "value", workMs: 0 },
  ...{ throwsAfterComplete: 0, isHopeless: false, isBroken: false, priority: 0, afterMs: 0 },
  ...{ isAt: false },
  ...{ deduplication: null, blockers: null, onBlockerFailure: "wait", next: null },
  ...override,
});

let ordinal = 0;

export type JobOverride = Omit<Partial<StateJob>, "createdAt" | "finishedAt"> & {
  readonly plan?: Partial<Plan>;
  readonly createdAt?: number;
  readonly finishedAt?: number | null;
};

/** A job that worker `w` has completed in its first attempt, within its first second. */
export const aJob = (id: string, override: JobOverride = {}): StateJob => {
  const { plan = {}, createdAt = 0, finishedAt = 900, ...columns } = override;
  return {
    ...{ id, typeName: "step", sequenceId: id, sequenceTypeName: "step", rootSequenceId: id },
    ...{ originId: null, position: 0, ordinal: ordinal++, status: "completed", output: "null" },
    input: JSON.stringify({ plan: aPlan(id, plan) }),
    ...{ continuedToId: null, priority: 0, onBlockerFailure: "wait", deduplicationKey: null },
    sequenceCreatedAt: new Date(instant(createdAt)),
    createdAt: new Date(instant(createdAt)),
    scheduledAt: new Date(instant(createdAt)),
    blockedUntil: null,
    ...{ attempt: 1, lastAttemptAt: new Date(instant(createdAt)), lastAttemptError: null },
    ...{ leaseVersion: 1, leasedBy: null, leasedUntil: null, traceContext: null },
    finishedAt: finishedAt === null ? null : new Date(instant(finishedAt)),
    completedBy: "w",
    ...columns,
  };
};

/** No worker has begun it yet. */
export const pending: JobOverride = {
  ...{ status: "pending", attempt: 0, leaseVersion: 0, lastAttemptAt: null, output: null },
  ...{ finishedAt: null, completedBy: null },
};

export const began = (jobId: string, override: Partial<Began> = {}): Began => ({
  ...{ kind: "began", at: instant(100), process: "w", jobId, path: jobId },
  ...{ attempt: 1, leaseVersion: 1, blockerSequenceIds: [] },
  ...override,
});

/** The process function of an attempt, from beginning to end. */
export const ran = (
  jobId: string,
  override: Partial<Began> = {},
  how: Ended["how"] = "completed",
): readonly [Began, Ended] => {
  const entry = began(jobId, override);
  const { at, leaseVersion } = entry;
  return [entry, { kind: "ended", at, jobId, leaseVersion, how }];
};

/** Worker `w` has held it for its first second. */
export const aLease = (jobId: string, override: Partial<SeenLease> = {}): SeenLease => ({
  ...{ jobId, typeName: "step", path: jobId, leaseVersion: 1, holder: "w" },
  ...{ acquiredAt: instant(0), firstSeenAt: instant(0) },
  ...{ lastSeenAt: instant(1_000), leasedUntil: instant(2_000), aheadMs: 2_000 },
  ...override,
});

export const started = (sequenceId: string, at = instant(0)): Started => ({
  ...{ kind: "started", at, sequenceId, path: sequenceId },
});

export const anEdge = (jobId: string, blockerSequenceId: string): BlockerEdge => ({
  ...{ jobId, sequenceId: jobId, blockerSequenceId, index: 0 },
});

/** Retention took it, between two looks. */
export const removed = (jobId: string, missedAt: number): RemovedJob => ({
  ...{ jobId, seenAt: instant(missedAt - 1_000), missedAt: instant(missedAt) },
});

export const control = (override: Partial<ControlSeen>): ControlSeen => ({
  ...nothingSeen,
  ...override,
});

export const aHistory = (override: Partial<History> = {}): History => ({
  ...{
    entries: [],
    rows: [],
    jobs: [],
    edges: [],
    removed: [],
    faults: [],
    leases: [],
    now: instant(60_000),
  },
  ...{ maxAttempts: 3, toleranceMs: 0, claimMs: 1_000, leaseMs: 2_000, retentionMs: 10_000 },
  ...{ control: nothingSeen, statementMs: 0, creationMs: 0, recoveryMs: 1_000, workerCount: 3 },
  ...override,
});
