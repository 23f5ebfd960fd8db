// The same lanes over time: the intervals of each job, on an axis whose idle parts are folded.
import type { TreeAnswer } from "../../src/api-types.ts";
import type { Attempt, Job } from "../answers/types.ts";

export interface Interval {
  readonly kind: "blocked" | "waits" | "due" | "failed" | "ran";
  readonly from: number;
  readonly to: number;
}

/** The intervals of a job, from its creation to its end, or to now. */
export const intervalsOf = (
  job: Job,
  attempts: readonly Attempt[],
  blockedUntil: number | null,
  now: number,
): readonly Interval[] => {
  const intervals: Interval[] = [];
  const add = (kind: Interval["kind"], from: number, to: number): void => {
    if (to > from || kind === "ran" || kind === "failed") {
      intervals.push({ kind, from, to: Math.max(from, to) });
    }
  };
  let reached = Date.parse(job.createdAt);
  if (blockedUntil !== null) {
    add("blocked", reached, blockedUntil);
    reached = Math.max(reached, blockedUntil);
  }
  for (const attempt of attempts) {
    const [due, start, end] = [attempt.dueAt, attempt.startedAt, attempt.endedAt].map(Date.parse);
    if (due === undefined || start === undefined || end === undefined) continue;
    add("waits", reached, due);
    add("due", Math.max(reached, due), start);
    add("failed", start, end);
    reached = end;
  }
  addPresent(job, reached, now, add);
  return intervals;
};

/** That which follows the attempts that did not complete the job. */
const addPresent = (
  { status, scheduledAt, lastAttemptAt, finishedAt }: Job,
  reached: number,
  now: number,
  add: (kind: Interval["kind"], from: number, to: number) => void,
): void => {
  const due = Date.parse(scheduledAt);
  if (status === "pending") {
    add("waits", reached, Math.min(due, now));
    add("due", Math.max(reached, due), now);
  }
  const started = lastAttemptAt === null ? null : Date.parse(lastAttemptAt);
  if (started === null || (status !== "running" && status !== "completed")) return;
  add("waits", reached, Math.min(due, started));
  add("due", Math.max(reached, Math.min(due, started)), started);
  add("ran", started, finishedAt === null ? now : Date.parse(finishedAt));
};

/** Until when each job was blocked. Null: it never was. */
export const blockedUntil = (tree: TreeAnswer, now: number): ReadonlyMap<string, number> => {
  const finished = new Map(tree.sequences.map(({ id, finishedAt }) => [id, finishedAt]));
  const until = new Map<string, number>();
  for (const { jobId, blockerSequenceId } of tree.edges) {
    const at = finished.get(blockerSequenceId);
    const end = at === null || at === undefined ? 0 : Date.parse(at);
    until.set(jobId, Math.max(end, until.get(jobId) ?? 0));
  }
  for (const { id, status } of tree.jobs) if (status === "blocked") until.set(id, now);
  return until;
};

export interface TimeAxis {
  /** The place of an instant, from 0 to 1. */
  readonly at: (time: number) => number;
  readonly ticks: readonly { readonly time: number; readonly at: number }[];
  readonly folds: readonly { readonly at: number; readonly ms: number }[];
}

/** An interval in which nothing changes is drawn at most so many times as long as the usual one. */
const foldAbove = 14;

/** An axis for these instants. Long parts in which nothing changes are folded. */
export const createAxis = (instants: readonly number[], ticksMax = 8): TimeAxis => {
  const times = [...new Set(instants)].sort((left, right) => left - right);
  const lengths = times.slice(1).map((time, index) => time - (times[index] ?? time));
  const sorted = [...lengths].sort((left, right) => left - right);
  const usual = Math.max(1, sorted[Math.floor(sorted.length * 0.6)] ?? 1);
  const cap = usual * foldAbove;
  const places = [0];
  for (const length of lengths) places.push((places.at(-1) ?? 0) + Math.min(length, cap));
  const total = Math.max(1, places.at(-1) ?? 1);
  const at = (time: number): number => {
    const next = times.findIndex((each) => each >= time);
    if (next <= 0) return next === 0 ? 0 : 1;
    const from = times[next - 1] ?? time;
    const share = (time - from) / ((times[next] ?? time) - from);
    const before = places[next - 1] ?? 0;
    return (before + share * ((places[next] ?? 0) - before)) / total;
  };
  const folds = lengths.flatMap((ms, index) => {
    const middle = ((places[index] ?? 0) + (places[index + 1] ?? 0)) / 2 / total;
    return ms > cap ? [{ at: middle, ms }] : [];
  });
  return { at, ticks: spaced(times, at, ticksMax), folds };
};

/** Instants that are far enough apart for their labels. */
const spaced = (
  times: readonly number[],
  at: (time: number) => number,
  max: number,
): TimeAxis["ticks"] => {
  const ticks: { time: number; at: number }[] = [];
  for (const time of times) {
    const place = at(time);
    if (ticks.every((tick) => Math.abs(tick.at - place) >= 1 / max))
      ticks.push({ time, at: place });
  }
  return ticks;
};
