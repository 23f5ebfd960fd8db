// Step 4 of the page: leases.
import { leaseExpiredError } from "queuert/internal";
import type { AcquireJobsParams, AcquiredJob } from "queuert/internal";
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

const byTurn = (left: Row, right: Row): number =>
  right.priority - left.priority ||
  left.scheduledAt - right.scheduledAt ||
  left.ordinal - right.ordinal;

const acquire = (data: Data, { workerId, limit, types }: AcquireJobsParams, now: number) => {
  const isOpen = ({ typeName }: { readonly typeName: string }): boolean =>
    acquirableAt(data, typeName, now) === now;
  const due = rowsOf(data).filter((row) => isOpen(row) && isDue(row, now));
  const queues = types.map(({ typeName, limit: typeLimit, leaseMs }) => ({
    leaseMs,
    rows: due
      .filter((row) => row.typeName === typeName)
      .sort(byTurn)
      .slice(0, Math.max(0, typeLimit)),
  }));
  const jobs: AcquiredJob[] = [];
  // In turn, so that no type goes without for ever. The first one is random.
  let turn = Math.floor(Math.random() * queues.length);
  while (jobs.length < limit && queues.some(({ rows }) => rows.length > 0)) {
    const queue = queues[turn++ % queues.length];
    const row = queue?.rows.shift();
    if (queue !== undefined && row !== undefined) {
      jobs.push(lease(data, row, workerId, queue.leaseMs, now));
    }
  }
  return { jobs, nextDueInMs: nextDueInMs(data, types, now), storeTime: new Date(now) };
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

const nextDueInMs = (data: Data, types: AcquireJobsParams["types"], now: number): number | null => {
  const open = types.filter(({ typeName }) => acquirableAt(data, typeName, now) === now);
  const names = new Set(open.map(({ typeName }) => typeName));
  const resumed = types
    .map(({ typeName }) => acquirableAt(data, typeName, now) - now)
    .filter((ms) => ms > 0 && ms < Infinity);
  const times = rowsOf(data)
    .filter((row) => names.has(row.typeName) && (row.status === "pending" || isDue(row, now)))
    .map((row) => (row.status === "pending" ? Math.max(0, row.scheduledAt - now) : 0))
    .concat(resumed);
  return times.length === 0 ? null : Math.min(2_147_483_647, ...times);
};

export const renewLeases =
  (database: Database): Method<"renewLeases"> =>
  async ({ leases }) =>
    leases.length === 0
      ? []
      : database.write(undefined, (data, now) =>
          leases.map(({ jobId, leaseVersion, leaseMs }) => {
            const row = heldBy(data, jobId, leaseVersion);
            if (typeof row === "string") return { kind: "lost", reason: row } as const;
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
