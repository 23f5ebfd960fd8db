import type { StateJob } from "queuert";
import type { Span } from "./control-history.ts";
import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, type History, type Violation } from "./history.ts";
import { deletedRoots, endsOf } from "./sequence-end.ts";
import { pathOf } from "./stored-plan.ts";

/** The times of all cancellations; without an end if the answer is not known. */
export const cancellationSpans = (history: History): readonly Span[] => {
  const doneAt = new Map(entriesOf(history, "cancelled").map(({ call, at }) => [call, at]));
  return entriesOf(history, "cancelling").map(({ call, at }) => [
    at,
    doneAt.get(call) ?? Number.POSITIVE_INFINITY,
  ]);
};

/** When a cancellation that was stored at a time had been committed, at the latest. */
export const cancelledBy = (spans: readonly Span[], at: number): number =>
  Math.max(
    at,
    ...spans.filter(([from, until]) => from - 1 <= at && at <= until).map(([, until]) => until),
  );

/** A cancellation that was answered is final. The cancelled sequence, and its tree, starts nothing after it. */
export const checkCancellations: Check = (history) => {
  const { jobs, leases, toleranceMs } = history;
  const violations: Violation[] = [];
  const ends = endsOf(history);
  const deleted = deletedRoots(history);
  for (const { sequenceId, isDone } of entriesOf(history, "cancelled")) {
    const end = ends.get(sequenceId);
    if (!isDone || end?.isCancelled === true) continue;
    if (end === undefined && deleted.has(sequenceId)) continue;
    violations.push({
      rule: "a cancellation stands",
      detail: `${sequenceId}: ${end?.last.status ?? "not stored"}`,
    });
  }
  const cancelled = new Map(
    jobs.filter(({ status }) => status === "cancelled").map((job) => [job.id, job]),
  );
  const endOf = (id: string | null): number | undefined =>
    cancelled.get(id ?? "")?.finishedAt?.getTime();
  const tell = (job: Pick<StateJob, "input">, what: string): void => {
    const detail = `${pathOf(job)}: ${what}`;
    violations.push({ rule: "a cancelled tree starts nothing new", detail });
  };
  for (const job of cancelled.values()) {
    const lateMs = (job.lastAttemptAt?.getTime() ?? 0) - (endOf(job.id) ?? 0);
    if (lateMs > toleranceMs) tell(job, `acquired ${lateMs} ms later`);
  }
  for (const { jobId, acquiredAt } of leases) {
    const [job, endedAt] = [cancelled.get(jobId), endOf(jobId)];
    if (job !== undefined && endedAt !== undefined && acquiredAt > endedAt + toleranceMs)
      tell(job, `held under a lease of ${acquiredAt - endedAt} ms later`);
  }
  for (const job of jobs) {
    const endedAt = endOf(job.originId);
    if (endedAt !== undefined && job.createdAt.getTime() > endedAt + toleranceMs)
      tell(job, `created ${job.createdAt.getTime() - endedAt} ms later`);
  }
  return violations;
};

/** Cancelled while a call cancelled a tree that is gone. Its edges are gone too, so nothing tells whether they waited for it. */
const besideDeleted = (history: History, known: ReadonlySet<string>): readonly string[] => {
  const spans = cancellationSpans({
    ...history,
    entries: history.entries.filter(
      (one) =>
        (one.kind === "cancelling" || one.kind === "cancelled") && !known.has(one.sequenceId),
    ),
  });
  return history.jobs.flatMap(({ status, finishedAt, sequenceId }) => {
    const at = finishedAt?.getTime() ?? 0;
    const isBeside = spans.some(
      ([from, until]) => from - 1 - history.toleranceMs <= at && at <= until + history.toleranceMs,
    );
    return status === "cancelled" && isBeside ? [sequenceId] : [];
  });
};

/** A sequence is cancelled because a call has asked for it, for the tree that it belongs to, or for one that it waits for. */
export const checkCancelCauses: Check = (history) => {
  const { jobs, edges } = history;
  const sequenceOf = new Map(jobs.map(({ id, sequenceId }) => [id, sequenceId]));
  const children = groupBy(jobs, ({ originId }) => sequenceOf.get(originId ?? "") ?? "");
  const dependants = groupBy(edges, ({ blockerSequenceId }) => blockerSequenceId);
  const reached = new Set<string>();
  const known = new Set(jobs.map(({ sequenceId }) => sequenceId));
  const left = [
    ...entriesOf(history, "cancelling").map(({ sequenceId }) => sequenceId),
    // Of a tree that was deleted it is not known whether it had been cancelled.
    ...edges.filter((edge) => !known.has(edge.blockerSequenceId)).map((edge) => edge.sequenceId),
    ...besideDeleted(history, known),
  ];
  for (let id = left.pop(); id !== undefined; id = left.pop()) {
    if (reached.has(id)) continue;
    reached.add(id);
    for (const { sequenceId } of children.get(id) ?? []) left.push(sequenceId);
    for (const { sequenceId } of dependants.get(id) ?? []) left.push(sequenceId);
  }
  return jobs.flatMap((job) =>
    job.status !== "cancelled" || reached.has(job.sequenceId)
      ? []
      : [{ rule: "only a cancellation cancels", detail: pathOf(job) }],
  );
};
