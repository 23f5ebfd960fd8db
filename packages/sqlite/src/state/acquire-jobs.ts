// Step 4 of the walk: due jobs are acquired, in a transaction that commits at once. Jobs without a key come from one line for each
// type (`steps/due-jobs.ts`), jobs under keys by turns (`steps/take-turns.ts`).
import {
  type AcquiredJob,
  type AcquireJobsParams,
  leaseExpiredError,
  type StateAdapter,
} from "queuert/internal";
import type { Database } from "../database.ts";
import { toInstant } from "../instants.ts";
import type { TableNames } from "../names.ts";
import type { Session } from "../session.ts";
import { type Candidate, createDueJobs, type DueJobs } from "../steps/due-jobs.ts";
import { shareLimit } from "../steps/share-limit.ts";
import { createRecordAttempt, type RecordAttempt } from "../steps/record-attempt.ts";
import { createBatchAt } from "../steps/batch-at.ts";
import { createNextLook, type SelectedTypes } from "../steps/next-look.ts";
import { createOpenRooms, type Rooms } from "../steps/open-rooms.ts";
import { createPausedTypes } from "../steps/read-pauses.ts";
import { createWaits } from "../steps/end-waits.ts";
import { createReadBlockers } from "../steps/read-sequences.ts";
import { createTurns } from "../steps/take-turns.ts";
import { createTypesWithJobs } from "../steps/types-with-jobs.ts";

type AcquiredType = AcquireJobsParams["types"][number];

const statements = ({ job }: TableNames) => ({
  acquireRange: `${acquisition(job)} WHERE ordinal BETWEEN ? AND ?`,
  acquireOne: `${acquisition(job)} WHERE ordinal = ?`,
  reclaimOne: `${acquisition(job)}, last_attempt_error = ? WHERE ordinal = ?`,
});

const acquisition = (job: string): string => `
UPDATE ${job} SET status = 'running', attempt = attempt + 1, lease_version = lease_version + 1, leased_by = ?,
  leased_until = ?, last_attempt_at = ?`;

/** The types that are not paused, and when the first of the others is resumed. */
const createSelect = (names: TableNames) => {
  const pausedTypes = createPausedTypes(names);
  return (session: Session, types: readonly AcquiredType[]): SelectedTypes => {
    const resumesAt = pausedTypes(session, session.now());
    let next = Infinity;
    const open = types.filter(({ typeName }) => {
      const time = resumesAt(typeName);
      next = Math.min(next, time ?? Infinity);
      return time === undefined;
    });
    return { open, resumesAt: next };
  };
};

type Take = (type: AcquiredType, wanted: number) => number;

/** If jobs with and without keys are due, each get half of the room, and then the rest. */
const takeBoth = (
  type: AcquiredType,
  wanted: number,
  [first, second]: readonly [Take, Take],
): number => {
  // A batch has the jobs of one of the two.
  if (type.batch?.perKey === true) return first(type, wanted) || second(type, wanted);
  let taken = first(type, Math.ceil(wanted / 2));
  taken += second(type, wanted - taken);
  return taken + first(type, wanted - taken);
};

const inOrder = ([first, second]: readonly [Take, Take], isFirst: boolean) =>
  isFirst ? ([first, second] as const) : ([second, first] as const);

interface Finding {
  readonly session: Session;
  readonly rooms: Rooms;
  readonly due: DueJobs;
  readonly now: number;
}

/** The due jobs without a key that there is room for. */
const findPlain = (
  { session, rooms, due, now }: Finding,
  { typeName }: AcquiredType,
  wanted: number,
): readonly Candidate[] => {
  const room = Math.min(wanted, rooms.countOf(typeName));
  const agingMs = rooms.limitOf(typeName)?.agingMs ?? null;
  return room <= 0 ? [] : due.find(session, [typeName], { now, room, agingMs });
};

const createLooks = (names: TableNames) => {
  const due = createDueJobs(names, "plain");
  const turns = createTurns(names);
  const waits = createWaits(names);
  const batchAt = createBatchAt(names, due);
  const typesWithJobs = createTypesWithJobs(names);
  const looks = { due, turns, waits, batchAt, typesWithJobs };
  return { ...looks, nextLook: createNextLook(looks) };
};

export const acquireJobs = <TTxContext extends object, TContext extends object>(
  database: Database<TTxContext, TContext>,
): StateAdapter<TTxContext, TContext, string>["acquireJobs"] => {
  const sql = statements(database.names);
  const readBlockers = createReadBlockers(database.names);
  const recordAttempt = createRecordAttempt(database.names);
  const select = createSelect(database.names);
  const openRooms = createOpenRooms(database.names);
  const { due, turns, waits, batchAt, typesWithJobs, nextLook } = createLooks(database.names);
  const { ordinals } = database;
  // The first type changes from call to call, so that a type with an endless backlog does not starve those behind it.
  let turn = 0;
  // An idle worker reads before it writes, and leaves the writer to others. While there is work, the read is left out.
  let foundLastTime = false;
  // With room for one job, jobs with and without keys alternate.
  let keysAreFirst = false;

  return async ({ workerId, limit, slots = limit, types }) => {
    if (types.length === 0 || limit <= 0) return { jobs: [], nextDueInMs: null };
    if (!foundLastTime) {
      const [wait, storeTime] = await database.read(undefined, (session) => [
        nextLook(session, select(session, types), openRooms(session, slots)),
        new Date(session.now()),
      ]);
      if (wait.nextDueInMs !== 0) return { jobs: [], ...wait, storeTime };
    }
    const result = await database.write("acquireJobs", undefined, (session) => {
      const now = session.now();
      const selected = select(session, types);
      const { open } = selected;
      const openNames = open.map(({ typeName }) => typeName);
      waits.end(session, openNames, now);
      const withJobs = typesWithJobs(session, open);
      const first = turn++ % Math.max(1, withJobs.length);
      const inTurn = [...withJobs.slice(first), ...withJobs.slice(0, first)];
      const jobs: AcquiredJob[] = [];
      const rooms = openRooms(session, slots);
      const write = (type: AcquiredType, candidates: readonly Candidate[]): void => {
        writeAcquisitions(session, { sql, recordAttempt }, candidates, workerId, type, now);
        for (const { job, blockerCount, reclaimedFrom } of candidates) {
          ordinals.remember(job.id, job.ordinal);
          const blockers = blockerCount === 0 ? [] : readBlockers(session, job.id);
          jobs.push({ job, blockers, reclaimedFrom });
        }
      };
      const takePlain: Take = (type, wanted) => {
        // A batch that is not ripe keeps back no job under a key.
        if (batchAt(session, type, now) > now) return 0;
        const found = findPlain({ session, rooms, due, now }, type, wanted);
        write(type, found);
        rooms.spend(type.typeName, found.length);
        return found.length;
      };
      const takeKeyed: Take = (type, wanted) => {
        if (wanted <= 0 || rooms.slots <= 0) return 0;
        const leasedUntil = toInstant(now + type.leaseMs);
        const writeOne = (one: Candidate): void => write(type, [one]);
        const taking = { session, rooms, now, leasedUntil, write: writeOne };
        const batch = type.batch?.perKey === true ? type.batch : undefined;
        return turns.take(taking, type.typeName, wanted, batch);
      };
      const acquire: Take = (type, wanted) => {
        if (!turns.has(session, type.typeName)) return takePlain(type, wanted);
        keysAreFirst = !keysAreFirst;
        return takeBoth(type, wanted, inOrder([takeKeyed, takePlain], keysAreFirst));
      };
      shareLimit(inTurn, limit, acquire);
      const isFull = jobs.length >= limit;
      const wait = isFull ? { nextDueInMs: 0 } : nextLook(session, selected, rooms);
      return { jobs, ...wait, storeTime: new Date(now) };
    });
    foundLastTime = result.jobs.length > 0;
    return result;
  };
};

type Statements = ReturnType<typeof statements>;

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
