import type { StateJob } from "queuert";
import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, type History, type Violation } from "./history.ts";
import { cancellationSpans, cancelledBy } from "./check-cancellations.ts";
import { deletedRoots, endsOf } from "./sequence-end.ts";
import { planOf } from "./stored-plan.ts";

interface Keyed {
  readonly job: StateJob;
  readonly isAll: boolean;
  readonly isCancelled: boolean;
  /** It was started although there was an older one, if older than this. */
  readonly windowMs: number;
  /** When it was unfinished: from its creation to its end; a failure that was retried leaves a gap. */
  readonly unfinished: readonly (readonly [from: number, until: number])[];
  readonly endedAt: number;
  /** When it was there still, as far as is known: after that, retention may have taken it, and its key is free. */
  readonly seenAt: number;
}

/** Sequences with a key, by type and key, in the order of their creation. */
const keyedSequences = (history: History): ReadonlyMap<string, readonly Keyed[]> => {
  const retries = groupBy(entriesOf(history, "retrying"), ({ sequenceId }) => sequenceId);
  const known = new Map(
    entriesOf(history, "retried").map(({ jobId, failedAt, at }) => [`${jobId}/${failedAt}`, at]),
  );
  const threwAt = new Map(
    entriesOf(history, "ended").flatMap(({ jobId, how, at }) =>
      how === "threw" ? [[jobId, at] as const] : [],
    ),
  );
  const seenAt = new Map(history.removed.map(({ jobId, seenAt: at }) => [jobId, at]));
  const keyed = [...endsOf(history).values()].flatMap((end): Keyed[] => {
    const { first, last, endedAt, isCancelled } = end;
    if (first.deduplicationKey === null) return [];
    const unfinished: [number, number][] = [];
    let from = first.createdAt.getTime();
    for (const { jobId, failedAt } of retries.get(first.id) ?? []) {
      unfinished.push([from, failedAt]);
      // Not known whether and when it was retried: nothing is said until it fails again.
      from = known.get(`${jobId}/${failedAt}`) ?? Number.POSITIVE_INFINITY;
    }
    // A sequence that has failed may be cancelled. It held its key until it failed, and that time is not stored any more.
    const hasFailed = isCancelled && last.lastAttemptError !== null;
    unfinished.push([from, hasFailed ? Math.max(from, threwAt.get(last.id) ?? from) : endedAt]);
    const { strategy, windowMs } = planOf(first).deduplication ?? {};
    return [
      {
        ...{ job: first, isAll: strategy === "all", isCancelled, unfinished, endedAt },
        windowMs: windowMs ?? Number.POSITIVE_INFINITY,
        seenAt: seenAt.get(first.id) ?? Number.POSITIVE_INFINITY,
      },
    ];
  });
  keyed.sort((one, other) => one.job.ordinal - other.job.ordinal);
  return groupBy(keyed, ({ job }) => `${job.typeName}/${job.deduplicationKey}`);
};

/** Whether the later of two was created while the earlier stood for the key. */
const isDouble = (earlier: Keyed, later: Keyed, lookedAt: number, answeredAt: number): boolean => {
  const createdAt = later.job.createdAt.getTime();
  if (earlier.job.createdAt.getTime() < answeredAt - later.windowMs) return false;
  if (earlier.seenAt < lookedAt) return false;
  // It holds its key under neither strategy.
  if (earlier.isCancelled && earlier.endedAt <= lookedAt) return false;
  if (earlier.isAll && later.isAll) return true;
  if (later.isAll && earlier.endedAt < createdAt) return true;
  return earlier.unfinished.some(([from, until]) => createdAt > from && lookedAt < until);
};

/**
 * While a sequence held a key, no other sequence with that key was created. A sequence that a start
 * found held the key.
 */
export const checkDeduplication: Check = (history) => {
  const violations: Violation[] = [];
  const startedAt = new Map(
    entriesOf(history, "started").map(({ sequenceId, at }) => [sequenceId, at]),
  );
  // When it had looked for others with its key, at the latest: with the answer, if the store looks later than it creates.
  const lookedAt = ({ job: { id, createdAt } }: Keyed): number =>
    history.creationMs === 0
      ? createdAt.getTime()
      : (startedAt.get(id) ?? createdAt.getTime() + history.creationMs);
  for (const [key, group] of keyedSequences(history)) {
    for (const [index, earlier] of group.entries()) {
      for (const later of group.slice(index + 1)) {
        // It may have waited for the key: the window ends where it looked, some time before it was answered.
        const answeredAt = startedAt.get(later.job.id) ?? Number.POSITIVE_INFINITY;
        if (!isDouble(earlier, later, lookedAt(later), answeredAt)) continue;
        violations.push({
          rule: "one sequence for a key",
          detail: `${key}: ${earlier.job.id}, ${later.job.id}`,
        });
      }
    }
  }
  const externalEnds = new Map(
    entriesOf(history, "completedExternally").map(({ jobId, at }) => [jobId, at]),
  );
  const ends = endsOf(history);
  const deleted = deletedRoots(history);
  const cancellations = cancellationSpans(history);
  for (const entry of entriesOf(history, "deduplicated")) {
    const end = ends.get(entry.sequenceId);
    if (end === undefined && deleted.has(entry.sequenceId)) continue;
    // An end is written before its transaction commits. Until the commit the sequence holds its key
    // for all others.
    const committedAt = Math.max(
      ...[end?.endedAt ?? 0, externalEnds.get(end?.last.id ?? "") ?? 0],
      end?.isCancelled === true ? cancelledBy(cancellations, end.endedAt) : 0,
    );
    const slackMs = Math.max(history.toleranceMs, history.creationMs);
    const oldestMs = entry.askedAt - slackMs - (entry.windowMs ?? Number.POSITIVE_INFINITY);
    const isStale =
      ((entry.strategy === "completed" || end?.isCancelled === true) &&
        committedAt < entry.askedAt - slackMs) ||
      (end?.first.createdAt.getTime() ?? 0) < oldestMs;
    if (end?.first.deduplicationKey === entry.key && !isStale) continue;
    violations.push({
      rule: "a sequence that is found for a key holds it",
      detail: `${entry.path} (${entry.key}): ${entry.sequenceId}`,
    });
  }
  return violations;
};
