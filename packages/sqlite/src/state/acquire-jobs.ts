// Step 4 of the walk: due jobs are acquired, in a transaction that commits at once.
// Nothing is sorted: within a type the index `job_due` is in the order of the contract. There is one probe per distinct
// priority, which skips all scheduled jobs of a higher priority at once.
import {
  type AcquiredJob,
  type AcquireJobsParams,
  leaseExpiredError,
  type StateAdapter,
} from "queuert/internal";
import type { Database } from "../database.ts";
import { toInstant, toTimerMs } from "../instants.ts";
import {
  blockerCountOf,
  jobColumns,
  type JobRow,
  pendingColumns,
  type PendingJob,
  type PendingRow,
  toPendingJob,
  toStateJob,
} from "../job-row.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import { createRecordAttempt, type RecordAttempt } from "../steps/record-attempt.ts";
import { createPausedTypes } from "../steps/read-pauses.ts";
import { createReadBlockers } from "../steps/read-sequences.ts";

type AcquiredType = AcquireJobsParams["types"][number];

/** A job to acquire, with the worker whose expired lease it is reclaimed from. */
interface Candidate extends PendingJob {
  readonly reclaimedFrom: string | null;
}

const statements = ({ job }: TableNames) => ({
  firstPriority: `
SELECT priority FROM ${job} WHERE status = 'pending' AND type_name = ?
ORDER BY priority DESC LIMIT 1`,
  nextPriority: `
SELECT priority FROM ${job} WHERE status = 'pending' AND type_name = ? AND priority < ?
ORDER BY priority DESC LIMIT 1`,
  due: `
SELECT ${pendingColumns} FROM ${job}
WHERE status = 'pending' AND type_name = ? AND priority = ? AND scheduled_at <= ?
ORDER BY scheduled_at, ordinal LIMIT ?`,
  nextDue: `
SELECT scheduled_at FROM ${job} WHERE status = 'pending' AND type_name = ? AND priority = ?
ORDER BY scheduled_at LIMIT 1`,
  expired: `
SELECT ordinal FROM ${job}
WHERE status = 'running' AND type_name = ? AND leased_until <= ?
ORDER BY priority DESC, scheduled_at, ordinal LIMIT ?`,
  one: `SELECT ${jobColumns()} FROM ${job} WHERE ordinal = ?`,
  anyExpired: `
SELECT 1 FROM ${job} WHERE status = 'running' AND type_name = ? AND leased_until <= ? LIMIT 1`,
  acquireRange: `${acquisition(job)} WHERE ordinal BETWEEN ? AND ?`,
  acquireOne: `${acquisition(job)} WHERE ordinal = ?`,
  reclaimOne: `${acquisition(job)}, last_attempt_error = ? WHERE ordinal = ?`,
});

const acquisition = (job: string): string => `
UPDATE ${job} SET status = 'running', attempt = attempt + 1, lease_version = lease_version + 1, leased_by = ?,
  leased_until = ?, last_attempt_at = ?`;

export const acquireJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["acquireJobs"] => {
  const sql = statements(database.names);
  const readBlockers = createReadBlockers(database.names);
  const recordAttempt = createRecordAttempt(database.names);
  const pausedTypes = createPausedTypes(database.names);
  const { ordinals } = database;
  // The first type changes from call to call, so that a type with an endless backlog does not starve those behind it.
  let turn = 0;
  // An idle worker reads before it writes, and leaves the writer to others. While there is work, the read is left out.
  let foundLastTime = false;

  /** The types that are not paused, and when the first of the others is resumed. */
  const select = (session: Session, types: readonly AcquiredType[]): SelectedTypes => {
    const resumesAt = pausedTypes(session, session.now());
    let next = Infinity;
    const open = types.filter(({ typeName }) => {
      const time = resumesAt(typeName);
      next = Math.min(next, time ?? Infinity);
      return time === undefined;
    });
    return { open, resumesAt: next };
  };

  return async ({ workerId, limit, types }) => {
    if (types.length === 0 || limit <= 0) return { jobs: [], nextDueInMs: null };
    if (!foundLastTime) {
      const [waitMs, storeTime] = await database.read(undefined, (session) => [
        nextDueInMs(session, sql, select(session, types)),
        new Date(session.now()),
      ]);
      if (waitMs !== 0) return { jobs: [], nextDueInMs: waitMs, storeTime };
    }
    const result = await database.write("acquireJobs", undefined, (session) => {
      const now = session.now();
      const selected = select(session, types);
      const { open } = selected;
      const first = turn++ % Math.max(1, open.length);
      const inTurn = [...open.slice(first), ...open.slice(0, first)];
      const jobs: AcquiredJob[] = [];
      const acquire = (type: AcquiredType, count: number): number => {
        const due = findDue(session, sql, type.typeName, now, count);
        const candidates = withExpired(session, sql, type.typeName, now, due, count);
        writeAcquisitions(session, { sql, recordAttempt }, candidates, workerId, type, now);
        for (const { job, blockerCount, reclaimedFrom } of candidates) {
          ordinals.remember(job.id, job.ordinal);
          const blockers = blockerCount === 0 ? [] : readBlockers(session, job.id);
          jobs.push({ job, blockers, reclaimedFrom });
        }
        return candidates.length;
      };
      share(inTurn, limit, acquire);
      const isFull = jobs.length >= limit;
      const waitMs = isFull ? 0 : nextDueInMs(session, sql, selected);
      return { jobs, nextDueInMs: waitMs, storeTime: new Date(now) };
    });
    foundLastTime = result.jobs.length > 0;
    return result;
  };
};

interface SelectedTypes {
  readonly open: readonly AcquiredType[];
  /** Infinity: the others are not resumed by themselves. */
  readonly resumesAt: number;
}

type Statements = ReturnType<typeof statements>;

/**
 * Divides a limit: first equally between the types, then the remainder between those that have more jobs. A type with a
 * long backlog therefore takes only room that no other type uses.
 */
const share = (
  types: readonly AcquiredType[],
  limit: number,
  acquire: (type: AcquiredType, count: number) => number,
): void => {
  const each = Math.ceil(limit / types.length);
  let roomLeft = limit;
  const wantMore: { readonly type: AcquiredType; readonly count: number }[] = [];
  for (const type of types) {
    const count = Math.min(type.limit, each, roomLeft);
    if (count <= 0) continue;
    const acquired = acquire(type, count);
    roomLeft -= acquired;
    if (acquired === count && type.limit > count) wantMore.push({ type, count });
  }
  for (const { type, count } of wantMore) {
    const more = Math.min(type.limit - count, roomLeft);
    if (more > 0) roomLeft -= acquire(type, more);
  }
};

/** Visits each distinct priority of a type's pending jobs, highest first, until a visit returns true. */
const eachPriority = (
  session: Session,
  sql: Statements,
  typeName: string,
  visit: (priority: number) => boolean,
): void => {
  let row = session.get<[number]>(sql.firstPriority, typeName);
  while (row !== undefined) {
    if (visit(row[0])) return;
    row = session.get<[number]>(sql.nextPriority, typeName, row[0]);
  }
};

const findDue = (
  session: Session,
  sql: Statements,
  typeName: string,
  now: number,
  room: number,
): readonly Candidate[] => {
  const due: Candidate[] = [];
  eachPriority(session, sql, typeName, (priority) => {
    const rows = session.all<PendingRow>(sql.due, typeName, priority, now, room - due.length);
    for (const row of rows) {
      const { job, blockerCount } = toPendingJob(row, typeName, priority);
      due.push({ job, blockerCount, reclaimedFrom: null });
    }
    return due.length >= room;
  });
  return due;
};

/** Adds jobs with an expired lease, which are due at their old place. */
const withExpired = (
  session: Session,
  sql: Statements,
  typeName: string,
  now: number,
  due: readonly Candidate[],
  room: number,
): readonly Candidate[] => {
  // A killed fleet leaves thousands of them: whole rows are read only for those that there is room for.
  const ordinals = session.all<[number]>(sql.expired, typeName, now, room);
  if (ordinals.length === 0) return due;
  const expired = ordinals.flatMap(([ordinal]): readonly Candidate[] => {
    const row = session.get<JobRow>(sql.one, ordinal);
    if (row === undefined) return [];
    const job = toStateJob(row);
    return [{ job, blockerCount: blockerCountOf(row), reclaimedFrom: job.leasedBy }];
  });
  return [...due, ...expired].sort(inOrder).slice(0, room);
};

// Priority, then due time, then creation.
const inOrder = ({ job: left }: Candidate, { job: right }: Candidate): number =>
  right.priority - left.priority ||
  left.scheduledAt.getTime() - right.scheduledAt.getTime() ||
  left.ordinal - right.ordinal;

/** Pending jobs are written together. Reclaimed jobs, which are few, are written one by one: their errors differ. */
const writeAcquisitions = (
  session: Session,
  { sql, recordAttempt }: { readonly sql: Statements; readonly recordAttempt: RecordAttempt },
  candidates: readonly Candidate[],
  workerId: string,
  { leaseMs }: AcquiredType,
  now: number,
): void => {
  const leasedUntil = toInstant(now + leaseMs);
  const pending: number[] = [];
  for (const { job, reclaimedFrom } of candidates) {
    if (reclaimedFrom === null) {
      pending.push(job.ordinal);
    } else {
      const error = leaseExpiredError(reclaimedFrom);
      const { id: jobId, leaseVersion } = job;
      const end = { jobId, leaseVersion, outcome: "lease_expired", error, nextAt: null } as const;
      recordAttempt(session, end, now);
      session.run(sql.reclaimOne, workerId, leasedUntil, now, error, job.ordinal);
      job.lastAttemptError = error;
    }
    // The same changes as in the statements: to read the row again would cost as much as the first time.
    job.status = "running";
    job.attempt += 1;
    job.lastAttemptAt = new Date(now);
    job.leaseVersion += 1;
    job.leasedBy = workerId;
    job.leasedUntil = new Date(leasedUntil);
  }
  for (const [first, last] of rangesOf(pending)) {
    if (first === last) session.run(sql.acquireOne, workerId, leasedUntil, now, first);
    else session.run(sql.acquireRange, workerId, leasedUntil, now, first, last);
  }
};

/** Ordinals without a gap are one range, as those of jobs that were started one after the other. */
const rangesOf = (ordinals: number[]): readonly (readonly [first: number, last: number])[] => {
  const ranges: [first: number, last: number][] = [];
  let range: [first: number, last: number] | undefined;
  for (const ordinal of ordinals.sort((left, right) => left - right)) {
    if (ordinal - 1 === range?.[1]) range[1] = ordinal;
    else ranges.push((range = [ordinal, ordinal]));
  }
  return ranges;
};

/** Milliseconds until the next pending job of these types is due: 0 if one is due, null if there is none. */
const nextDueInMs = (
  session: Session,
  sql: Statements,
  { open, resumesAt }: SelectedTypes,
): number | null => {
  const now = session.now();
  let next = resumesAt;
  for (const { typeName } of open) {
    if (session.get(sql.anyExpired, typeName, now) !== undefined) return 0;
    eachPriority(session, sql, typeName, (priority) => {
      next = Math.min(
        next,
        session.get<[number]>(sql.nextDue, typeName, priority)?.[0] ?? Infinity,
      );
      return next <= now;
    });
    if (next <= now) return 0;
  }
  return next === Infinity ? null : toTimerMs(next - now);
};
