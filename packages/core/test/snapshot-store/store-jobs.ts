// Steps 1 to 3 of the page: jobs are stored, and read again.
import { JobNotFoundError, type NewEntryJob } from "queuert";
import { blockerCancelledError, blockerFailedError } from "queuert/internal";
import {
  blockersOf,
  hasStatus,
  insert,
  isFinished,
  put,
  rowsOf,
  sequenceOf,
  toStateJob,
  toStateSequence,
} from "./rows.ts";
import { failDependants, isDone } from "./settle-jobs.ts";
import type { Data, Database, Method, Row } from "./snapshot.ts";

export const createJobs =
  (database: Database): Method<"createJobs"> =>
  async ({ context, jobs }) =>
    jobs.length === 0
      ? []
      : database.write(context, (data, now) =>
          jobs.map((job) => {
            const found = job.kind === "entry" ? findDuplicate(data, job, now) : undefined;
            const row = found ?? insert(data, job, now);
            return { job: toStateJob(row), deduplicated: found !== undefined };
          }),
        );

const findDuplicate = (
  data: Data,
  { id: givenId, typeName, deduplication }: NewEntryJob,
  now: number,
): Row | undefined => {
  if (givenId !== undefined) return data.rows[givenId];
  if (deduplication === null) return undefined;
  const { key, strategy, windowMs, excludeSequenceIds = [] } = deduplication;
  return rowsOf(data)
    .filter((row) => row.typeName === typeName && row.deduplicationKey === key)
    .filter(({ id }) => !excludeSequenceIds.includes(id))
    .filter(({ id }) =>
      strategy === "all" ? !hasStatus(data, id, "cancelled") : holdsKey(data, id),
    )
    .filter(({ status, attempt }) => {
      const waits = status === "pending" || status === "blocked";
      return strategy !== "pending" || (waits && attempt === 0);
    })
    .filter(({ createdAt }) => windowMs === null || createdAt >= now - windowMs)
    .sort((left, right) => right.ordinal - left.ordinal)[0];
};

const holdsKey = (data: Data, sequenceId: string): boolean => {
  const current = sequenceOf(data, sequenceId)?.current;
  return current !== undefined && !isFinished(current);
};

export const addBlockers =
  (database: Database): Method<"addBlockers"> =>
  async ({ context, jobs }) =>
    jobs.length === 0
      ? []
      : database.writeInside(context, (data, now) =>
          jobs.map(({ jobId, blockerSequenceIds, waitAtMostMs }) => {
            const stored = data.rows[jobId];
            const row = stored && put(data, stored, { blockedUntil: endOf(stored, waitAtMostMs) });
            if (row === undefined) throw new JobNotFoundError(jobId);
            const isMissing = (id: string): boolean => sequenceOf(data, id) === undefined;
            const missing = [...new Set(blockerSequenceIds.filter(isMissing))];
            const isWritten = missing.length === 0 && row.status === "blocked";
            if (isWritten) wait(data, row, blockerSequenceIds, now);
            return { job: toStateJob(data.rows[jobId] ?? row), missing };
          }),
        );

const endOf = ({ createdAt }: Row, waitAtMostMs: number | undefined): number | null =>
  waitAtMostMs === undefined ? null : createdAt + waitAtMostMs;

const wait = (data: Data, row: Row, blockerSequenceIds: readonly string[], now: number): void => {
  const before = blockersOf(data, row.id).length;
  blockerSequenceIds.forEach((blockerSequenceId, index) => {
    data.edges.push({ jobId: row.id, blockerSequenceId, index: before + index });
  });
  const error = blockerError(data, row, blockerSequenceIds);
  if (error !== undefined) {
    put(data, row, { status: "failed", lastAttemptError: error, finishedAt: now });
    failDependants(data, row.sequenceId, now);
  } else if (blockersOf(data, row.id).every((id) => isDone(data, row, id))) {
    put(data, row, { status: "pending" });
  }
};

const blockerError = (data: Data, row: Row, ids: readonly string[]): string | undefined => {
  if (row.onBlockerFailure === "continue") return undefined;
  const cancelled = ids.find((id) => hasStatus(data, id, "cancelled"));
  if (cancelled !== undefined) return blockerCancelledError(cancelled);
  const failed = ids.find((id) => hasStatus(data, id, "failed"));
  return failed !== undefined && row.onBlockerFailure === "fail"
    ? blockerFailedError(failed)
    : undefined;
};

export const getJobs =
  (database: Database): Method<"getJobs"> =>
  async ({ context, ids }) =>
    database.read(context, (data) =>
      ids.map((id) => {
        const row = data.rows[id];
        return row && toStateJob(row);
      }),
    );

export const getSequences =
  (database: Database): Method<"getSequences"> =>
  async ({ context, ids }) =>
    database.read(context, (data) => ids.map((id) => toStateSequence(data, id)));

export const getBlockers =
  (database: Database): Method<"getBlockers"> =>
  async ({ context, ids }) =>
    database.read(context, (data) =>
      ids.map((id) => blockersOf(data, id).flatMap((one) => toStateSequence(data, one) ?? [])),
    );

export const listBlockerEdges =
  (database: Database): Method<"listBlockerEdges"> =>
  async ({ context, ids }) =>
    database.read(context, (data) =>
      data.edges.flatMap((edge) => {
        const { sequenceId } = data.rows[edge.jobId] ?? { sequenceId: "" };
        const isAsked = ids.includes(sequenceId) || ids.includes(edge.blockerSequenceId);
        return isAsked ? [{ ...edge, sequenceId }] : [];
      }),
    );
