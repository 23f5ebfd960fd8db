// The only place that knows the fields of a job, and how jobs belong together.
import type {
  LeaseLostReason,
  NewStateJob,
  ScheduleOptions,
  StateJob,
  StateJobReference,
  StateSequence,
} from "queuert/internal";
import { createJobIdGenerator, newStateJob } from "queuert/internal";
import type { Data, Row } from "./snapshot.ts";

const generateId = createJobIdGenerator();

const toDate = (ms: number | null): Date | null => (ms === null ? null : new Date(ms));

export const toStateJob = ({
  completedByLease: _own,
  releasedAt: _released,
  ...row
}: Row): StateJob => ({
  ...row,
  sequenceCreatedAt: new Date(row.sequenceCreatedAt),
  createdAt: new Date(row.createdAt),
  scheduledAt: new Date(row.scheduledAt),
  blockedUntil: row.status === "blocked" ? toDate(row.blockedUntil) : null,
  lastAttemptAt: toDate(row.lastAttemptAt),
  leasedUntil: toDate(row.leasedUntil),
  finishedAt: toDate(row.finishedAt),
});

export const toReference = (row: Row): StateJobReference => ({
  id: row.id,
  typeName: row.typeName,
  sequenceId: row.sequenceId,
  sequenceTypeName: row.sequenceTypeName,
  rootSequenceId: row.rootSequenceId,
  originId: row.originId,
});

export const rowsOf = (data: Data): readonly Row[] => Object.values(data.rows);

/** Changes some fields of a job, and returns it as it is then. */
export const put = (data: Data, row: Row, changes: Partial<Row>): Row =>
  (data.rows[row.id] = { ...row, ...changes });

export const dueAt = (schedule: ScheduleOptions | null, now: number): number => {
  if (schedule === null) return now;
  return schedule.at === undefined ? now + schedule.afterMs : schedule.at.getTime();
};

export const insert = (data: Data, job: NewStateJob, now: number): Row => {
  const id = (job.kind === "entry" ? job.id : undefined) ?? generateId();
  const place = {
    id,
    ordinal: data.nextOrdinal++,
    createdAt: now,
    scheduledAt: dueAt(job.schedule, now),
    sequenceCreatedAt: job.kind === "entry" ? now : job.sequenceCreatedAt.getTime(),
  };
  return (data.rows[id] = {
    ...newStateJob<number>(job, place),
    completedByLease: null,
    releasedAt: null,
  });
};

/** The first and the last job of a sequence. Undefined if the id is not that of a first job. */
export const sequenceOf = (data: Data, id: string) => {
  const first = data.rows[id];
  if (first?.sequenceId !== id) return undefined;
  // By the position: a continuation with blockers is stored before its job is completed.
  const jobs = rowsOf(data).filter(({ sequenceId }) => sequenceId === id);
  return {
    first,
    current: jobs.reduce((last, row) => (row.position > last.position ? row : last), first),
  };
};

export const toStateSequence = (data: Data, id: string): StateSequence | undefined => {
  const sequence = sequenceOf(data, id);
  return sequence && { first: toStateJob(sequence.first), current: toStateJob(sequence.current) };
};

export const hasStatus = (data: Data, sequenceId: string, status: Row["status"]): boolean =>
  sequenceOf(data, sequenceId)?.current.status === status;

export const isFinished = ({ status }: Row): boolean =>
  status === "completed" || status === "failed" || status === "cancelled";

export const blockersOf = (data: Data, jobId: string): readonly string[] =>
  data.edges
    .filter((edge) => edge.jobId === jobId)
    .sort((left, right) => left.index - right.index)
    .map(({ blockerSequenceId }) => blockerSequenceId);

/** Blocked jobs that wait for a sequence. */
export const dependantsOf = (data: Data, sequenceId: string): readonly Row[] => {
  const ids = data.edges.flatMap(({ jobId, blockerSequenceId }) =>
    blockerSequenceId === sequenceId ? [jobId] : [],
  );
  return [...new Set(ids)].flatMap((id) => {
    const row = data.rows[id];
    return row?.status === "blocked" ? [row] : [];
  });
};

/** The job that is running under this lease, or the reason why there is none. */
export const heldBy = (data: Data, jobId: string, leaseVersion: number): Row | LeaseLostReason => {
  const row = data.rows[jobId];
  if (row === undefined) return "not_found";
  if (row.status === "running" && row.leaseVersion === leaseVersion) return row;
  if (row.status === "cancelled") return "cancelled";
  return isFinished(row) ? "already_completed" : "taken_by_another_worker";
};

export const noLease = { leasedBy: null, leasedUntil: null } as const;
