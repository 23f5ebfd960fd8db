// Document ⇄ StateJob: the only file that knows how a job is stored. A null of a StateJob is absent here,
// and so are the fields in which a sequence's first job would repeat itself. That keeps documents small,
// and partial indexes leave out the documents they do not serve.
import { randomBytes } from "node:crypto";
import {
  type JobStatus,
  type LeaseLostReason,
  limits,
  type ScheduleOptions,
  type StateJob,
  type StateJobReference,
  type StoredAttempt,
} from "queuert/internal";
import { MongoDocumentTooLargeError } from "./errors.ts";

export interface JobDocument {
  readonly _id: string;
  readonly typeName: string;
  /** Absent in a sequence's first job: its own id, as are its own type and time. */
  readonly sequenceId?: string | undefined;
  readonly sequenceTypeName?: string | undefined;
  readonly sequenceCreatedAt?: Date | undefined;
  /** Absent in the first job of the root itself. */
  readonly rootSequenceId?: string | undefined;
  readonly originId?: string | undefined;
  readonly position: number;
  readonly ordinal: number;
  readonly status: JobStatus;
  /** JSON as text, never as a document: the same meaning as in every other store. */
  readonly input: string;
  readonly output?: string | undefined;
  readonly continuedToId?: string | undefined;
  /** Absent in a job under a key: plain acquisitions read the index `due` by priority, and never meet it. */
  readonly priority?: number | undefined;
  /** Absent: "wait". */
  readonly onBlockerFailure?: "fail" | "continue" | undefined;
  readonly deduplicationKey?: string | undefined;
  /** The caller has given its id: a document of `keys` may have proposals for it. */
  readonly hasGivenId?: true | undefined;
  readonly createdAt: Date;
  readonly scheduledAt: Date;
  readonly attempt: number;
  readonly lastAttemptAt?: Date | undefined;
  readonly lastAttemptError?: string | undefined;
  readonly leaseVersion: number;
  readonly leasedBy?: string | undefined;
  readonly leasedUntil?: Date | undefined;
  readonly finishedAt?: Date | undefined;
  readonly completedBy?: string | undefined;
  /** The lease version under which it was completed. Absent if no worker completed it. */
  readonly completedByLease?: number | undefined;
  readonly traceContext?: string | undefined;

  /** The attempts that did not complete it. Absent: there are none. */
  readonly attempts?: readonly StoredAttempt[] | undefined;

  /** In all jobs of a tree except the root's first: the index by tree holds only these. */
  readonly treeMember?: true | undefined;
  /** The blockers, in the given order. They stay when they have completed. */
  readonly blockers?: readonly string[] | undefined;
  /** The distinct blockers that have not completed. */
  readonly openBlockers?: readonly string[] | undefined;
  /** The end of the wait of a blocked job, if it has one. */
  readonly blockedUntil?: Date | undefined;
  /** When its last blocker completed. Absent if it never was blocked. */
  readonly releasedAt?: Date | undefined;
  /** Another job waits for this job's sequence: ending it takes a transaction. */
  readonly hasWaiters?: true | undefined;
  /** A failed job whose dependants have not failed yet: see `state/fail-dependants.ts`. */
  readonly cascade?: true | undefined;
  /** The stamp of the last acquisition: how its call finds the jobs that it has acquired. */
  readonly acquisition?: string | undefined;
  /** The stamp of the last other batch. A field of its own, because an acquisition may follow at once. */
  readonly stamp?: string | undefined;
  /** Written only to lock the document for a transaction. */
  readonly lockStamp?: string | undefined;
  /** The worker whose expired lease the last acquisition reclaimed. */
  readonly reclaimedFrom?: string | undefined;

  // Only in a job under a key of a limit: see `limit-keys/README.md`.
  readonly limitName?: string | undefined;
  /** The id of the key's document. */
  readonly limitKeyId?: string | undefined;
  readonly keyPriority?: number | undefined;
  /** Absent: 1. */
  readonly startCost?: number | undefined;
  /** Its key is looked at from then on, unless the job runs. Absent: the key was looked at. */
  readonly turnAt?: Date | undefined;
  /** Among the turns of one time: the place of its start in the acquisition that has started it last. */
  readonly turnPlace?: number | undefined;
  /** An acquisition has given its permit away, because its lease had expired. */
  readonly leaseLost?: true | undefined;
  /** The key that the last update has moved it from, if that key has to be looked at. */
  readonly movedFrom?: string | undefined;
}

// Only for documents read with these fields. Without them a later job would count as a first one.
export const sequenceIdOf = ({
  _id,
  sequenceId = _id,
}: Pick<JobDocument, "_id" | "sequenceId">): string => sequenceId;

export const rootSequenceIdOf = ({
  _id,
  rootSequenceId = _id,
}: Pick<JobDocument, "_id" | "rootSequenceId">): string => rootSequenceId;

export const toStateJob = (document: JobDocument): StateJob => ({
  id: document._id,
  typeName: document.typeName,
  sequenceId: sequenceIdOf(document),
  sequenceTypeName: document.sequenceTypeName ?? document.typeName,
  sequenceCreatedAt: document.sequenceCreatedAt ?? document.createdAt,
  rootSequenceId: rootSequenceIdOf(document),
  originId: document.originId ?? null,
  position: document.position,
  ordinal: document.ordinal,
  status: document.status,
  input: document.input,
  output: document.output ?? null,
  continuedToId: document.continuedToId ?? null,
  priority: document.priority ?? document.keyPriority ?? 0,
  onBlockerFailure: document.onBlockerFailure ?? "wait",
  deduplicationKey: document.deduplicationKey ?? null,
  createdAt: document.createdAt,
  scheduledAt: document.scheduledAt,
  blockedUntil: document.status === "blocked" ? (document.blockedUntil ?? null) : null,
  attempt: document.attempt,
  lastAttemptAt: document.lastAttemptAt ?? null,
  lastAttemptError: document.lastAttemptError ?? null,
  leaseVersion: document.leaseVersion,
  leasedBy: document.leasedBy ?? null,
  leasedUntil: document.leasedUntil ?? null,
  finishedAt: document.finishedAt ?? null,
  completedBy: document.completedBy ?? null,
  traceContext: document.traceContext ?? null,
});

export const toReference = (document: JobDocument): StateJobReference => ({
  id: document._id,
  typeName: document.typeName,
  sequenceId: sequenceIdOf(document),
  sequenceTypeName: document.sequenceTypeName ?? document.typeName,
  rootSequenceId: rootSequenceIdOf(document),
  originId: document.originId ?? null,
});

/** The projection of a reference. */
export const referenceFields: Readonly<
  Record<"typeName" | "sequenceId" | "sequenceTypeName" | "rootSequenceId" | "originId", 1>
> = {
  typeName: 1,
  sequenceId: 1,
  sequenceTypeName: 1,
  rootSequenceId: 1,
  originId: 1,
};

/** Marks the writes of one batch: no other batch has the same stamp. */
export const createStamp = (): string => randomBytes(9).toString("base64url");

/** The fields of a lease, which a job keeps no longer than the lease. */
export const leaseFields = { leasedBy: 1, leasedUntil: 1, reclaimedFrom: 1, leaseLost: 1 } as const;

/** Why a write that named a lease has changed nothing, from the job as it is. */
export const toLeaseLostReason = (
  document: Pick<JobDocument, "status"> | undefined,
): LeaseLostReason => {
  if (document === undefined) return "not_found";
  if (document.status === "cancelled") return "cancelled";
  const isFinished = document.status === "completed" || document.status === "failed";
  return isFinished ? "already_completed" : "taken_by_another_worker";
};

/** Refuses a payload before it is sent: the server would refuse it after the whole batch was encoded. */
export const assertFitsDocument = (payload: string): void => {
  const { bytesMax } = MongoDocumentTooLargeError;
  // UTF-8 has at most three bytes for a unit of UTF-16: most payloads need no count.
  if (payload.length * 3 <= bytesMax) return;
  const bytes = Buffer.byteLength(payload);
  if (bytes > bytesMax) throw new MongoDocumentTooLargeError({ bytes });
};

// Expressions in filters and pipelines. Times are always the server's, with durations within the range
// of a BSON date. Batches are one update: a statement for each document costs the server four times as
// much. A value that differs from document to document is found by id, in an array that the server
// turns into a hash table.

/** Whole milliseconds, within the range that can be added to a date. */
export const clampMs = (ms: number): number =>
  Math.round(Math.max(-limits.delayMsMax, Math.min(ms, limits.delayMsMax)));

/** The statement's time plus a number of milliseconds. */
export const afterNow = (ms: number): object => ({ $add: ["$$NOW", clampMs(ms)] });

/** The due time of a schedule. */
export const dueExpression = (schedule: ScheduleOptions): object =>
  schedule.at === undefined ? afterNow(schedule.afterMs) : { $literal: schedule.at };

/** The due time of a schedule, counted from an instant that the store gave. */
export const dueAfter = (now: Date, schedule: ScheduleOptions | null): Date => {
  if (schedule === null) return now;
  return schedule.at ?? new Date(now.getTime() + clampMs(schedule.afterMs));
};

/** Conditions on the statement's time. Both can use an index. */
export const isDue = { $expr: { $lte: ["$scheduledAt", "$$NOW"] } } as const;
export const isWaitOver = { $expr: { $lte: ["$blockedUntil", "$$NOW"] } } as const;
export const isExpired = { $expr: { $lte: ["$leasedUntil", "$$NOW"] } } as const;

/** Jobs without a key. A job under a key has no field `priority`, so the index `due` passes over it. */
export const anyPriority: { readonly priority: object } = { priority: { $gte: -Infinity } };
export const withoutKey = { limitKeyId: { $exists: false } } as const;

/** The value for the id of this document. A null removes the field. */
export const valueById = (ids: readonly string[], values: readonly unknown[]): object => ({
  $ifNull: [
    {
      $arrayElemAt: [{ $literal: values }, { $indexOfArray: [{ $literal: ids }, "$_id"] }],
    },
    "$$REMOVE",
  ],
});

interface Held {
  readonly jobId: string;
  readonly leaseVersion: number;
}

/** Running jobs, each under the lease that its element names. */
export const heldUnder = (elements: readonly Held[]): object => {
  const byVersion = new Map<number, string[]>();
  for (const { jobId, leaseVersion } of elements) {
    const ids = byVersion.get(leaseVersion);
    if (ids === undefined) byVersion.set(leaseVersion, [jobId]);
    else ids.push(jobId);
  }
  const groups = [...byVersion].map(([leaseVersion, ids]) => ({
    _id: { $in: ids.sort() },
    leaseVersion,
  }));
  const [only, ...others] = groups;
  // Most jobs are acquired once: there are few versions at a time.
  return others.length === 0 ? { ...only, status: "running" } : { $or: groups, status: "running" };
};

/** The ends of renewed leases. */
export const leasedUntilOf = (
  leases: readonly { readonly jobId: string; readonly leaseMs: number }[],
): object => {
  const ids = leases.map(({ jobId }) => jobId);
  const durations = leases.map(({ leaseMs }) => leaseMs);
  const isUniform = durations.every((leaseMs) => leaseMs === durations[0]);
  return isUniform
    ? afterNow(durations[0] ?? 0)
    : { $add: ["$$NOW", valueById(ids, durations.map(clampMs))] };
};
