// Jobs of a type under a limit are acquired in a transaction that writes the limit's document. No two acquisitions of the type
// count at once, and no renewal brings an expired lease back beside them. The jobs of a batch are acquired in the same way, with a
// document of their own: no two acquisitions divide them.
import { setTimeout as sleep } from "node:timers/promises";
import { type AcquireJobsParams, type LimitRoom, limitRoom, spendTokens } from "queuert/internal";
import { compareUnder } from "./acquire-candidates.ts";
import { lockBatch, msUntilBatch } from "./batches.ts";
import type { Database } from "./database.ts";
import { MongoTransactionAbortedError } from "./errors.ts";
import { anyPriority, isDue, type JobDocument, withoutKey } from "./job-document.ts";

import { findFreeJobs } from "./free-jobs.ts";
import { countPermits, type LimitDocument, lockLimit } from "./limit-document.ts";
import { outside, type Scope } from "./store.ts";

type AcquiredType = AcquireJobsParams["types"][number];

export interface LimitedAcquisition {
  readonly jobs: readonly JobDocument[];
  /** The limit, or the slots, have kept due jobs back. */
  readonly isLimited: boolean;
  /** Milliseconds until there may be room; Infinity: until the end of an attempt. */
  readonly lookInMs: number;
  /** A limit counts these jobs. */
  readonly isUnderLimit: boolean;
}

const none: LimitedAcquisition = { jobs: [], isLimited: false, lookInMs: 0, isUnderLimit: false };

/** How many jobs there is room for, and how many of a type under a limit. */
interface Room {
  readonly most: number;
  readonly slots: number;
}

/** The update that makes jobs running, with the stamp of this call. */
export interface NewLease {
  readonly stamp: string;
  readonly update: object;
}

/** One acquisition, and its conflicts so far. */
interface Tries {
  /** It has written the document of the limit or the batch. A conflict after that is about a job. */
  hasTurn: boolean;
  /** Conflicts about jobs. */
  conflicts: number;
  /** The job that is tried alone. */
  alone: string | null;
  /** Jobs that met a conflict alone: another transaction has them. */
  readonly locked: Set<string>;
  /** The jobs of a batch that no other transaction has. Null: all of them may be free. */
  free: ReadonlySet<string> | null;
}

/** Null: the type has no limit any more. */
export const acquireLimited = async (
  db: Database,
  type: AcquiredType,
  room: Room,
  lease: NewLease,
): Promise<LimitedAcquisition | null> => {
  // Before the transaction: most looks at a batch find it unripe.
  const untilBatchMs = await msUntilBatch(db, outside, type);
  if (untilBatchMs > 0) return { ...none, lookInMs: untilBatchMs };
  const found = await acquireInTurn(db, type, room, lease);
  if (type.batch === undefined || found === null || found.isLimited) return found;
  return { ...found, lookInMs: await msUntilBatch(db, outside, type) };
};

const acquireInTurn = async (
  db: Database,
  type: AcquiredType,
  room: Room,
  lease: NewLease,
): Promise<LimitedAcquisition | null> => {
  const { typeName, batch } = type;
  const dueNow = { typeName, ...anyPriority, ...isDue };
  const state: Tries = { hasTurn: false, conflicts: 0, alone: null, locked: new Set(), free: null };
  for (let tries = 1; ; tries++) {
    state.hasTurn = false;
    state.alone = null;
    if (batch !== undefined && state.conflicts >= conflictsMax) {
      state.free = await findFreeJobs(db, dueNow, order, room.most + randomWindow);
      if (state.free.size === 0) return { ...none, isLimited: true, lookInMs: busyLookMs };
    }
    try {
      return await db.tryTransaction((scope) =>
        acquireOnce(db, type, room, lease, { scope, state }),
      );
    } catch (error) {
      const isConflict =
        error instanceof MongoTransactionAbortedError && error.reason === "write_conflict";
      if (!isConflict) throw error;
      if (state.hasTurn) state.conflicts++;
      if (state.alone !== null) state.locked.add(state.alone);
      if (tries === triesMax) return { ...none, isLimited: true, lookInMs: busyLookMs };
      await sleep(tries * 5 * Math.random());
    }
  }
};

/** Another acquisition has the limit, or another transaction has the first job. */
const triesMax = 8;
const busyLookMs = 25;

/**
 * After so many conflicts about jobs, one of them is likely to be locked. Then one is tried alone, in their order. If several are
 * locked, it is one at random, out of so many. Of a batch, the jobs are taken that could be written just before.
 */
const conflictsMax = 2;
const lockedMax = 3;
const randomWindow = 20;

const acquireOnce = async (
  db: Database,
  type: AcquiredType,
  { most, slots }: Room,
  lease: NewLease,
  { scope, state }: { readonly scope: Scope; readonly state: Tries },
): Promise<LimitedAcquisition | null> => {
  const { typeName, batch } = type;
  const locked = batch === undefined ? null : await lockBatch(db, scope, typeName);
  const limit = await lockLimit(db, scope, typeName);
  state.hasTurn = true;
  const now = limit?.lockedAt ?? locked?.lockedAt;
  if (now === undefined || (await msUntilBatch(db, scope, type)) > 0) return batch ? none : null;
  const nowUs = now.getTime() * 1_000;
  const room = limit === null ? noLimit : await roomUnder(db, scope, limit, now);
  const allowed = limit === null ? Infinity : Math.max(0, Math.min(room.count, slots));
  // One more than may start shows whether the limit keeps any back.
  const wanted = Math.min(allowed, most);
  const isCareful = state.conflicts >= conflictsMax && wanted > 0;
  const size = isCareful ? (batch ? wanted : 1) + randomWindow : wanted + 1;
  const due = await findDue(db, scope, typeName, now, size, limit?.agingMs ?? null);
  const all = due.map(({ _id }) => _id);
  const ids = isCareful ? chooseSome(all, wanted, state) : all.slice(0, wanted);
  if (ids.length > 0) {
    // Their tokens are counted from the lock on, and so are their starts: this write may come late.
    const update = { ...lease.update, lastAttemptAt: now };
    await db.jobs.updateMany(scope, { _id: { $in: ids } }, [{ $set: update }]);
    if (limit !== null && limit.rate !== null) {
      const backAtUs = spendTokens(limit.rate, limit.backAtUs, nowUs, ids.length);
      await db.limits.updateMany(scope, { _id: typeName }, { $set: { backAtUs } });
    }
  }
  const jobs =
    ids.length === 0
      ? []
      : await db.jobs.find(scope, { _id: { $in: ids }, acquisition: lease.stamp });
  const isLimited = due.length > ids.length && ids.length === allowed;
  const isSlots = ids.length < room.count;
  const lookInMs = isSlots ? Infinity : Math.max(1, (room.lookAtUs - nowUs) / 1_000);
  return { jobs, isLimited, lookInMs, isUnderLimit: limit !== null };
};

const chooseSome = (due: readonly string[], wanted: number, state: Tries): readonly string[] => {
  if (state.free !== null) return due.filter((id) => state.free?.has(id)).slice(0, wanted);
  const free = due.filter((id) => !state.locked.has(id));
  const isRandom = state.locked.size >= lockedMax;
  const first = isRandom ? Math.floor(Math.random() * free.length) : 0;
  const chosen = free.slice(first, first + 1);
  state.alone = chosen[0] ?? null;
  return chosen;
};

const noLimit: LimitRoom = { count: Infinity, lookAtUs: Infinity };

const roomUnder = async (
  db: Database,
  scope: Scope,
  limit: LimitDocument,
  now: Date,
): Promise<LimitRoom> => {
  const running = limit.concurrency === null ? 0 : await countPermits(db, scope, limit._id, now);
  return limitRoom({ ...limit, running }, now.getTime() * 1_000);
};

const order = { priority: -1, scheduledAt: 1, ordinal: 1 } as const;

/** Each `agingMs` since the due time count as one level of priority. The server sorts the due jobs of the type. */
const findAged = (
  db: Database,
  scope: Scope,
  match: object,
  { agingMs, limit }: { readonly agingMs: number; readonly limit: number },
): Promise<JobDocument[]> =>
  db.jobs.aggregate(scope, [
    { $match: match },
    { $set: { rank: { $subtract: ["$scheduledAt", { $multiply: ["$priority", agingMs] }] } } },
    { $sort: { rank: 1, ordinal: 1 } },
    { $limit: limit },
  ]);

/** Due jobs of a type in their order. Those of expired leases have kept their place. */
const findDue = async (
  db: Database,
  scope: Scope,
  typeName: string,
  now: Date,
  limit: number,
  agingMs: number | null,
): Promise<readonly JobDocument[]> => {
  const wasDue = { typeName, status: "pending", ...anyPriority, scheduledAt: { $lte: now } };
  const pending =
    agingMs === null
      ? await db.jobs.find(scope, wasDue, { sort: order, limit })
      : await findAged(db, scope, wasDue, { agingMs, limit });
  const expired = await db.jobs.find(
    scope,
    { status: "running", leasedUntil: { $lte: now }, typeName, ...withoutKey },
    { sort: { leasedUntil: 1 }, limit },
  );
  return [...pending, ...expired].sort(compareUnder(agingMs)).slice(0, limit);
};
