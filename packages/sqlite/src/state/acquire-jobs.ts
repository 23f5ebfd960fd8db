// Step 4 of the walk: due jobs are taken, leased and handed out, in a transaction that commits at once.
// Nothing is sorted: within a type the index `job_due` is in the order of the contract, one probe per distinct
// priority, so that scheduled jobs of a higher priority are stepped over in one go however many they are.
import {
  type AcquiredJob,
  type AcquireJobsParams,
  leaseExpiredError,
  type StateAdapter,
} from "queuert/internal";
import type { Database } from "../database.ts";
import { toInstant, toTimerMs } from "../durations.ts";
import { blockerCountOf, jobColumns, type JobRow, type OwnJobRow, toStateJob } from "../job-row.ts";
import type { TableNames } from "../names.ts";
import { pendingColumns, type PendingRow, toWholeRow } from "../pending-row.ts";
import type { Session } from "../session.ts";
import { createReadBlockers } from "../steps/read-blockers.ts";

type AcquiredType = AcquireJobsParams["types"][number];

/** A row to take, and the worker whose expired lease it is taken from. */
interface Candidate {
  /** Made for this call alone: it is written to. */
  readonly row: OwnJobRow;
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
  takeRange: `${taking(job)} WHERE ordinal BETWEEN ? AND ?`,
  takeOne: `${taking(job)} WHERE ordinal = ?`,
  takeOver: `${taking(job)}, last_attempt_error = ? WHERE ordinal = ?`,
});

const taking = (job: string): string => `
UPDATE ${job} SET status = 'running', attempt = attempt + 1, lease_version = lease_version + 1, leased_by = ?,
  leased_until = ?, last_attempt_at = ?`;

export const acquireJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["acquireJobs"] => {
  const sql = statements(database.names);
  const readBlockers = createReadBlockers(database.names);
  const { ordinals } = database;
  // Who comes first changes from call to call, so that a type with an endless backlog starves none behind it.
  let turn = 0;
  // Looking before writing costs no lock: an idle worker leaves the writer to those who have something to write.
  // While there was work the last time, it would be one step more for nothing.
  let foundLastTime = false;

  return async ({ workerId, limit, types }) => {
    if (types.length === 0 || limit <= 0) return { jobs: [], nextDueInMs: null };
    if (!foundLastTime) {
      const waitMs = await database.read(undefined, (session) => nextDueInMs(session, sql, types));
      if (waitMs !== 0) return { jobs: [], nextDueInMs: waitMs };
    }
    const first = turn++ % types.length;
    const inTurn = [...types.slice(first), ...types.slice(0, first)];
    const result = await database.write(undefined, (session) => {
      const now = session.now();
      const jobs: AcquiredJob[] = [];
      const acquire = (type: AcquiredType, count: number): number => {
        const due = findDue(session, sql, type.typeName, now, count);
        const candidates = withExpired(session, sql, type.typeName, now, due, count);
        takeAll(session, sql, candidates, workerId, type, now);
        for (const { row, reclaimedFrom } of candidates) {
          ordinals.remember(row[0], row[8]);
          const blockers = blockerCountOf(row) === 0 ? [] : readBlockers(session, row[0]);
          jobs.push({ job: toStateJob(row), blockers, reclaimedFrom });
        }
        return candidates.length;
      };
      share(inTurn, limit, acquire);
      const isFull = jobs.length >= limit;
      return { jobs, nextDueInMs: isFull ? 0 : nextDueInMs(session, sql, types) };
    });
    foundLastTime = result.jobs.length > 0;
    return result;
  };
};

type Statements = ReturnType<typeof statements>;

/**
 * Shares a limit out: first the same to each type, then what some have left to those that have more. So a type with a
 * long backlog takes what nobody else wants, and no more.
 */
const share = (
  types: readonly AcquiredType[],
  limit: number,
  acquire: (type: AcquiredType, count: number) => number,
): void => {
  const each = Math.ceil(limit / types.length);
  let roomLeft = limit;
  const wantMore: { readonly type: AcquiredType; readonly taken: number }[] = [];
  for (const type of types) {
    const count = Math.min(type.limit, each, roomLeft);
    if (count <= 0) continue;
    const taken = acquire(type, count);
    roomLeft -= taken;
    if (taken === count && type.limit > taken) wantMore.push({ type, taken });
  }
  for (const { type, taken } of wantMore) {
    const count = Math.min(type.limit - taken, roomLeft);
    if (count > 0) roomLeft -= acquire(type, count);
  }
};

/** Calls back with each distinct priority of a type's pending jobs, highest first, until it answers true. */
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
      due.push({ row: toWholeRow(row, typeName, priority), reclaimedFrom: null });
    }
    return due.length >= room;
  });
  return due;
};

/** Jobs whose lease has expired are due at their old place among the others. */
const withExpired = (
  session: Session,
  sql: Statements,
  typeName: string,
  now: number,
  due: readonly Candidate[],
  room: number,
): readonly Candidate[] => {
  // No more than there is room for, and whole rows of none but these: a fleet that was killed leaves thousands.
  const expired = session.all<[number]>(sql.expired, typeName, now, room).flatMap(([ordinal]) => {
    const row = session.get<OwnJobRow>(sql.one, ordinal);
    return row === undefined ? [] : [{ row, reclaimedFrom: row[22] }];
  });
  if (expired.length === 0) return due;
  return [...due, ...expired].sort((left, right) => byTurn(left.row, right.row)).slice(0, room);
};

// Priority, then due time, then creation.
const byTurn = (left: JobRow, right: JobRow): number =>
  right[13] - left[13] || left[17] - right[17] || left[8] - right[8];

/** Pending jobs are written together, expired ones, which are few, each by itself: their errors differ. */
const takeAll = (
  session: Session,
  sql: Statements,
  candidates: readonly Candidate[],
  workerId: string,
  { leaseMs }: AcquiredType,
  now: number,
): void => {
  const leasedUntil = toInstant(now + leaseMs);
  const pending: number[] = [];
  for (const { row, reclaimedFrom } of candidates) {
    if (reclaimedFrom === null) {
      pending.push(row[8]);
    } else {
      row[20] = leaseExpiredError(reclaimedFrom);
      session.run(sql.takeOver, workerId, leasedUntil, now, row[20], row[8]);
    }
    // What the statements make of the row; reading it back would cost as much again.
    row[9] = "running";
    row[18] += 1;
    row[19] = now;
    row[21] += 1;
    row[22] = workerId;
    row[23] = leasedUntil;
  }
  for (const [first, last] of rangesOf(pending)) {
    if (first === last) session.run(sql.takeOne, workerId, leasedUntil, now, first);
    else session.run(sql.takeRange, workerId, leasedUntil, now, first, last);
  }
};

/** Jobs that were started one after the other, the usual case, are one range. */
const rangesOf = (ordinals: number[]): readonly (readonly [first: number, last: number])[] => {
  const ranges: [first: number, last: number][] = [];
  let range: [first: number, last: number] | undefined;
  for (const ordinal of ordinals.sort((left, right) => left - right)) {
    if (ordinal - 1 === range?.[1]) range[1] = ordinal;
    else ranges.push((range = [ordinal, ordinal]));
  }
  return ranges;
};

/** Until the next pending job of these types is due: 0 if one is, null if there is none. */
const nextDueInMs = (
  session: Session,
  sql: Statements,
  types: readonly AcquiredType[],
): number | null => {
  const now = session.now();
  let next = Infinity;
  for (const { typeName } of types) {
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
