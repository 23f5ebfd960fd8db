// Step 8 of the page: lists and the summary.
import type { ListJobsParams, ListSequencesParams, StateSummary } from "queuert/internal";
import { blockersOf, hasStatus, rowsOf, sequenceOf, toStateJob } from "./rows.ts";
import type { Context, Data, Database, Method, Row } from "./snapshot.ts";

type PageParams = Pick<
  ListJobsParams<Context> & ListSequencesParams<Context>,
  "order" | "limit" | "afterOrdinal" | "createdFrom" | "createdTo"
>;

const isIn = <T>(wanted: readonly T[] | null | undefined, value: T): boolean =>
  wanted?.includes(value) ?? true;

/** The rows of a page, in its order. */
const pageOf = (
  rows: readonly Row[],
  { order, limit, afterOrdinal, createdFrom, createdTo }: PageParams,
): readonly Row[] => {
  const sign = order === "asc" ? 1 : -1;
  return rows
    .filter(({ ordinal }) => afterOrdinal === null || (ordinal - afterOrdinal) * sign > 0)
    .filter(({ createdAt }) => createdFrom === null || createdAt >= createdFrom.getTime())
    .filter(({ createdAt }) => createdTo === null || createdAt < createdTo.getTime())
    .sort((left, right) => (left.ordinal - right.ordinal) * sign)
    .slice(0, Math.max(0, limit));
};

export const listJobs =
  (database: Database): Method<"listJobs"> =>
  async (params) =>
    database.read(params.context, (data) => {
      const { typeNames, sequenceTypeNames, statuses, sequenceId, rootSequenceId } = params;
      const matching = rowsOf(data).filter(
        (row) =>
          isIn(typeNames, row.typeName) &&
          isIn(sequenceTypeNames, row.sequenceTypeName) &&
          isIn(statuses, row.status) &&
          (sequenceId === null || row.sequenceId === sequenceId) &&
          (rootSequenceId === null || row.rootSequenceId === rootSequenceId),
      );
      return pageOf(matching, params).map(toStateJob);
    });

export const listSequences =
  (database: Database): Method<"listSequences"> =>
  async (params) =>
    database.read(params.context, (data) => {
      const { typeNames, statuses, rootSequenceId } = params;
      const firsts = rowsOf(data).filter(
        (row) =>
          row.position === 0 &&
          isIn(typeNames, row.typeName) &&
          isIn(statuses, sequenceOf(data, row.id)?.current.status ?? row.status) &&
          (rootSequenceId === null || row.rootSequenceId === rootSequenceId),
      );
      return pageOf(firsts, params).map((first) => ({
        first: toStateJob(first),
        current: toStateJob(sequenceOf(data, first.id)?.current ?? first),
      }));
    });

export const summarize =
  (database: Database): Method<"summarize"> =>
  async ({ context, runningLongMs }) =>
    database.read(context, (data, now) => summary(data, runningLongMs, now));

const countedStatuses = ["blocked", "pending", "running", "failed"] as const;

const summary = (data: Data, runningLongMs: number, now: number): StateSummary => {
  const rows = rowsOf(data);
  const running = rows.filter(({ status }) => status === "running");
  const typeNames = [...new Set(rows.map(({ typeName }) => typeName))].sort();
  return {
    counts: typeNames.flatMap((typeName) =>
      countedStatuses
        .map((status) => ({
          typeName,
          status,
          count: rows.filter((row) => row.typeName === typeName && row.status === status).length,
        }))
        .filter(({ count }) => count > 0),
    ),
    oldestReady: typeNames.flatMap((typeName) => {
      const due = rows
        .filter((row) => row.typeName === typeName && row.status === "pending")
        .filter(({ scheduledAt }) => scheduledAt <= now)
        .map(({ scheduledAt, releasedAt }) => now - Math.max(scheduledAt, releasedAt ?? 0));
      return due.length === 0 ? [] : [{ typeName, ageMs: Math.max(...due), dueCount: due.length }];
    }),
    blockedByFailedCount: rows.filter(
      ({ id, status }) =>
        status === "blocked" && blockersOf(data, id).some((one) => hasStatus(data, one, "failed")),
    ).length,
    expiredLeaseCount: running.filter(({ leasedUntil }) => (leasedUntil ?? 0) <= now).length,
    runningLongCount: running.filter(
      ({ lastAttemptAt }) => (lastAttemptAt ?? now) < now - runningLongMs,
    ).length,
  };
};
