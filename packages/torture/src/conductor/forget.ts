// A store that was brought back to older data has forgotten the commits since. The results that processes received in that time
// are no measure of it, and tokens repeat. All else is judged: the store must be whole, and finish all of its jobs.
import type { HistoryEntry, Violation } from "../checker/history.ts";

/** At `at` the store was as it had been at `to` or later. */
export interface Rewind {
  readonly to: number;
  readonly at: number;
}

/** Answers come late: of a process that stood still, or through a slow wire. */
const slackMs = 8_000;

/** They tell the content of the store. The others tell of calls that begin, and of process functions. */
const facts: ReadonlySet<HistoryEntry["kind"]> = new Set([
  ...(["started", "deduplicated", "awaited", "completedExternally", "deleted"] as const),
  ...(["retried", "set", "cancelled", "sent", "received", "overwritten"] as const),
  ...(["errandsStarted", "idGiven", "planApplied"] as const),
]);

/** Without the facts that the store may have forgotten. */
export const withoutForgotten = (
  entries: readonly HistoryEntry[],
  rewinds: readonly Rewind[],
): readonly HistoryEntry[] =>
  entries.filter(
    ({ kind, at }) =>
      !facts.has(kind) || !rewinds.some((one) => one.to <= at && at <= one.at + slackMs),
  );

/** Of tokens, attempts and their order: an attempt of before and one of after may have the same token. */
const excusedByRewind: ReadonlySet<string> = new Set([
  "every attempt is counted once",
  "each attempt has a token of its own",
  "no attempt is newer than the stored token",
  "the completer of a job had begun it",
  "only an outcome that a process function returned is stored",
  "nothing is stored before the process function has ended",
  "no attempt begins before its blockers are complete",
  "no attempt begins before its time",
  "a lease has one holder",
  "an expired lease is taken back in time",
  "jobs of a type are claimed in order",
  "never more starts than the rate allows",
  "never more starts of a key than its rate allows",
  "keys take turns",
  "each job of a call has its own outcome",
  "a row for each errand that writes one",
  "a batch is taken when it is ripe",
  "the job of an id has the input of its first start",
  "a waiting job has the input that was written last",
  "one sequence for an instant of a schedule",
]);

/** Of instants: the store's clock was not that of the records. */
const excusedByClock: ReadonlySet<string> = new Set([
  "no attempt begins before its time",
  "no attempt begins before its blockers are complete",
  "nothing is stored before the process function has ended",
  "nothing is running without a live lease",
  "an expired lease is taken back in time",
  "a lease is no longer than was asked for",
  "jobs of a type are claimed in order",
  "one sequence for a key",
  "a sequence that is found for a key holds it",
  "never more than the limit at once",
  "never more starts than the rate allows",
  "never more than the limit of a key at once",
  "never more starts of a key than its rate allows",
  "keys take turns",
  "a batch is taken when it is ripe",
  "no job of a paused type begins",
  "a job waits for its signal until the end of its wait",
  "a waiting job is due within its longest wait",
  "at most one job of a key waits",
  "retention deletes only trees that have been complete for long",
  "retention deletes no sequence that a job waits for",
]);

/** Those that a fault of the run does not explain. */
export const unexcused = (
  violations: readonly Violation[],
  given: { readonly isRewound: boolean; readonly isStepped: boolean },
): readonly Violation[] =>
  violations.filter(
    ({ rule }) =>
      !(given.isRewound && excusedByRewind.has(rule)) &&
      !(given.isStepped && excusedByClock.has(rule)),
  );
