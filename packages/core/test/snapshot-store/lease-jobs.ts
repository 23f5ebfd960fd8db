// Step 4 of the page: leases.
import { leaseExpiredError } from "queuert/internal";
import type { AcquireJobsParams, AcquiredJob } from "queuert/internal";
import { boundsOf, roomOf, spendToken } from "./limit-types.ts";
import { acquirableAt } from "./pause-types.ts";
import {
  blockersOf,
  dueAt,
  heldBy,
  noLease,
  put,
  rowsOf,
  toReference,
  toStateJob,
  toStateSequence,
} from "./rows.ts";
import type { Data, Database, Method, Row } from "./snapshot.ts";

export const acquireJobs =
  (database: Database): Method<"acquireJobs"> =>
  async (params) =>
    params.types.length === 0
      ? { jobs: [], nextDueInMs: null }
      : database.write(undefined, (data, now) => acquire(data, params, now));

const isExpired = ({ status, leasedUntil }: Row, now: number): boolean =>
  status === "running" && (leasedUntil ?? 0) <= now;

const isDue = (row: Row, now: number): boolean =>
  (row.status === "pending" && row.scheduledAt <= now) || isExpired(row, now);

/** Blocked, and its wait has ended. */
const isOverdue = ({ status, blockedUntil }: Row, now: number): boolean =>
  status === "blocked" && blockedUntil !== null && blockedUntil <= now;

const byTurn = (left: Row, right: Row): number =>
  right.priority - left.priority ||
  left.scheduledAt - right.scheduledAt ||
  left.ordinal - right.ordinal;

const acquire = (
  data: Data,
  { workerId, limit, slots = limit, types }: AcquireJobsParams,
  now: number,
) => {
  const isOpen = ({ typeName }: { readonly typeName: string }): boolean =>
    acquirableAt(data, typeName, now) === now;
  const names = new Set(types.map(({ typeName }) => typeName));
  for (const row of rowsOf(data).filter(({ typeName }) => names.has(typeName))) {
    if (isOpen(row) && isOverdue(row, now)) put(data, row, { status: "pending", releasedAt: now });
  }
  const unripe = new Set(
    types.flatMap((type) => (batchAt(data, type, now) > now ? [type.typeName] : [])),
  );
  const due = rowsOf(data).filter(
    (row) => isOpen(row) && isDue(row, now) && !unripe.has(row.typeName),
  );
  const queues = types.map(({ typeName, limit: typeLimit, leaseMs }) => ({
    typeName,
    leaseMs,
    started: 0,
    room: roomOf(data, typeName, now),
    rows: due
      .filter((row) => row.typeName === typeName)
      .sort(byTurn)
      .slice(0, Math.max(0, typeLimit)),
  }));
  const jobs: AcquiredJob[] = [];
  // In turn, so that no type goes without for ever. The first one is random.
  let turn = Math.floor(Math.random() * queues.length);
  let slotsLeft = slots;
  const mayStart = ({ room, rows, started }: (typeof queues)[number]): boolean =>
    rows.length > 0 && (room === undefined || (started < room.count && slotsLeft > 0));
  while (jobs.length < limit && queues.some(mayStart)) {
    const queue = queues[turn++ % queues.length];
    if (queue === undefined || !mayStart(queue)) continue;
    const row = queue.rows.shift();
    if (row === undefined) continue;
    queue.started++;
    if (queue.room !== undefined) slotsLeft--;
    spendToken(data, row.typeName, now);
    jobs.push(lease(data, row, workerId, queue.leaseMs, now));
  }
  const held = queues.filter((queue) => queue.rows.length > 0 && !mayStart(queue));
  const looks = held.flatMap(({ room, started }) =>
    room !== undefined && started === room.count ? [room.lookAtUs / 1_000 - now] : [],
  );
  const others = types.filter(({ typeName }) => !held.some((queue) => queue.typeName === typeName));
  return {
    jobs,
    nextDueInMs: nextDueInMs(data, others, looks, now),
    isLimited: held.length > 0,
    storeTime: new Date(now),
  };
};

/** From when the jobs of a type can be acquired; now for a type without batches. */
const batchAt = (
  data: Data,
  { typeName, batch }: AcquireJobsParams["types"][number],
  now: number,
): number => {
  if (batch === undefined) return now;
  const rows = rowsOf(data).filter(
    (row) => row.typeName === typeName && (row.status === "pending" || isDue(row, now)),
  );
  const times = rows.map(({ scheduledAt }) => scheduledAt).sort((left, right) => left - right);
  const since = rows.map((row) => Math.max(row.scheduledAt, row.releasedAt ?? 0));
  return Math.min(times[batch.minSize - 1] ?? Infinity, Math.min(...since) + batch.maxWaitMs);
};

const lease = (
  data: Data,
  row: Row,
  workerId: string,
  leaseMs: number,
  now: number,
): AcquiredJob => {
  const reclaimedFrom = row.leasedBy;
  const leased = put(data, row, {
    status: "running",
    attempt: row.attempt + 1,
    leaseVersion: row.leaseVersion + 1,
    leasedBy: workerId,
    leasedUntil: now + leaseMs,
    lastAttemptAt: now,
    lastAttemptError:
      reclaimedFrom === null ? row.lastAttemptError : leaseExpiredError(reclaimedFrom),
  });
  const blockers = blockersOf(data, row.id).flatMap((id) => toStateSequence(data, id) ?? []);
  return { job: toStateJob(leased), blockers, reclaimedFrom };
};

const nextDueInMs = (
  data: Data,
  types: AcquireJobsParams["types"],
  /** Of types at their limit: when to look again. */
  looks: readonly number[],
  now: number,
): number | null => {
  const open = types.filter(({ typeName }) => acquirableAt(data, typeName, now) === now);
  const names = new Set(open.map(({ typeName }) => typeName));
  const resumed = types
    .map(({ typeName }) => acquirableAt(data, typeName, now) - now)
    .filter((ms) => ms > 0 && ms < Infinity);
  const batches = open.filter(({ batch }) => batch !== undefined);
  const inBatches = new Set(batches.map(({ typeName }) => typeName));
  const ripe = batches
    .map((type) => Math.max(0, batchAt(data, type, now) - now))
    .filter((ms) => ms < Infinity);
  const times = rowsOf(data)
    .filter((row) => names.has(row.typeName) && !inBatches.has(row.typeName))
    .filter((row) => row.status === "pending" || isDue(row, now))
    .map((row) => (row.status === "pending" ? Math.max(0, row.scheduledAt - now) : 0))
    .concat(resumed, looks, ripe, waitsOf(data, names, now));
  return times.length === 0 ? null : Math.min(2_147_483_647, ...times);
};

/** How long the blocked jobs still wait. */
const waitsOf = (data: Data, typeNames: ReadonlySet<string>, now: number): readonly number[] =>
  rowsOf(data).flatMap(({ status, typeName, blockedUntil }) =>
    status === "blocked" && blockedUntil !== null && typeNames.has(typeName)
      ? [Math.max(0, blockedUntil - now)]
      : [],
  );

export const renewLeases =
  (database: Database): Method<"renewLeases"> =>
  async ({ leases }) =>
    leases.length === 0
      ? []
      : database.write(undefined, (data, now) =>
          leases.map(({ jobId, leaseVersion, leaseMs }) => {
            const row = heldBy(data, jobId, leaseVersion);
            if (typeof row === "string") return { kind: "lost", reason: row } as const;
            if (isExpired(row, now) && boundsOf(data, row.typeName) !== undefined) {
              return { kind: "lost", reason: "lease_expired" } as const;
            }
            put(data, row, { leasedUntil: now + leaseMs });
            return { kind: "held" } as const;
          }),
        );

export const reclaimExpiredLeases =
  (database: Database): Method<"reclaimExpiredLeases"> =>
  async ({ limit }) =>
    limit <= 0
      ? []
      : database.write(undefined, (data, now) =>
          rowsOf(data)
            .filter((row) => isExpired(row, now))
            .sort((left, right) => (left.leasedUntil ?? 0) - (right.leasedUntil ?? 0))
            .slice(0, limit)
            .map((row) => {
              const leasedBy = row.leasedBy ?? "";
              const lastAttemptError = leaseExpiredError(leasedBy);
              put(data, row, { ...noLease, status: "pending", lastAttemptError });
              return { ...toReference(row), leasedBy, leaseVersion: row.leaseVersion };
            }),
        );

export const rescheduleJobs =
  (database: Database): Method<"rescheduleJobs"> =>
  async ({ context, jobs }) =>
    jobs.length === 0
      ? []
      : database.write(context, (data, now) =>
          jobs.map(({ jobId, leaseVersion, schedule, countsAttempt, error }) => {
            const row = heldBy(data, jobId, leaseVersion);
            if (typeof row === "string") return { kind: "lost", reason: row } as const;
            const scheduledAt = schedule === null ? row.scheduledAt : dueAt(schedule, now);
            put(data, row, {
              ...noLease,
              status: "pending",
              scheduledAt,
              attempt: row.attempt - (countsAttempt ? 0 : 1),
              lastAttemptError: error ?? row.lastAttemptError,
            });
            return { kind: "rescheduled", scheduledAt: new Date(scheduledAt) } as const;
          }),
        );
