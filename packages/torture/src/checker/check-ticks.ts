import type { StateJob, StateTick } from "queuert/internal";
import type { LoadSchedule, Span } from "./control-history.ts";
import { groupBy } from "./group-by.ts";
import { type Check, entriesOf, type History, type Violation } from "./history.ts";
import { instantsOf } from "./instants.ts";

type Judge = (
  schedule: LoadSchedule,
  ticks: readonly StateTick[],
  history: History,
) => readonly Violation[];

/** How far a backfill of the load reaches back. */
export const backfillMsMax: number = 2 * 86_400_000;

/** The records and the store may tell the ends of a time apart from each other. */
const isIn = (spans: readonly Span[], at: number, toleranceMs: number): boolean =>
  spans.some(([from, until]) => from + toleranceMs <= at && at < until - toleranceMs);

const nameOf = ({ name }: LoadSchedule, at: number): string =>
  `${name} at ${new Date(at).toISOString()}`;

/** No instant of a schedule has started two sequences. */
export const checkTicksOnce: Check = (history) => {
  const begun = entriesOf(history, "ticked").map(({ schedule, tickAt, isManual, jobId }) => ({
    ...{ instant: `${schedule} at ${new Date(tickAt).toISOString()}, ${isManual}`, jobId },
  }));
  return [...groupBy(begun, ({ instant }) => instant)].flatMap(([instant, own]) => {
    const count = new Set(own.map(({ jobId }) => jobId)).size;
    const rule = "one sequence for an instant of a schedule";
    return count === 1 ? [] : [{ rule, detail: `${instant}: ${count}` }];
  });
};

/** Every instant while a schedule was active has a tick. Every tick is one of its instants. */
const judgeInstants: Judge = (schedule, ticks, { now, toleranceMs }) => {
  const from = Math.min(...[...schedule.active, ...schedule.paused].map(([begin]) => begin));
  // A backfill reaches back.
  const instants = new Set(instantsOf(schedule.spec, from - backfillMsMax, now));
  const found = new Set(
    ticks.flatMap(({ kind, tickAt }) => (kind === "manual" ? [] : [tickAt.getTime()])),
  );
  const lost = [...instants].filter(
    (at) => isIn(schedule.active, at, toleranceMs) && !found.has(at),
  );
  const strange = [...found].filter((at) => !instants.has(at));
  return [
    ...lost.map((at) => ({ rule: "no tick is lost", detail: nameOf(schedule, at) })),
    ...strange.map((at) => ({
      rule: "a tick is an instant of its schedule",
      detail: nameOf(schedule, at),
    })),
  ];
};

/** Whether the policy leaves out a tick that was fired so late. */
const isLeftOut = (
  { catchUp, graceMs }: LoadSchedule,
  { tickAt, firedAt }: StateTick,
  isNewest: boolean,
): boolean => {
  const lateMs = firedAt.getTime() - tickAt.getTime();
  if (lateMs <= graceMs) return false;
  if (catchUp === "latest") return !isNewest;
  return catchUp === "skip" || lateMs > catchUp.withinMs;
};

/** A late tick starts, or is left out, as the catch-up of its schedule says. */
const judgeCatchUp: Judge = (schedule, ticks, { toleranceMs }) =>
  ticks.flatMap((tick): Violation[] => {
    const [at, firedAt] = [tick.tickAt.getTime(), tick.firedAt.getTime()];
    // The end of a pause has a catch-up of its own.
    const isKnown = schedule.active.some(
      (span) => isIn([span], at, toleranceMs) && isIn([span], firedAt, toleranceMs),
    );
    if (tick.kind !== "scheduled" || !isKnown) return [];
    // A tick that was buffered is fired again when it starts.
    if (schedule.overlap === "bufferOne" && tick.outcome === "started") return [];
    const isNewest = !ticks.some(
      (other) =>
        other.kind !== "manual" && other.tickAt > tick.tickAt && other.tickAt.getTime() <= firedAt,
    );
    if (isLeftOut(schedule, tick, isNewest) === (tick.outcome === "missed")) return [];
    const detail = `${nameOf(schedule, at)}: ${tick.outcome}, fired ${firedAt - at} ms later`;
    return [{ rule: "a late tick follows its catch-up", detail }];
  });

/** While it is paused, no scheduled tick is fired. A trigger starts the one that was buffered before. */
const judgePause: Judge = (schedule, ticks, { toleranceMs }) =>
  ticks.flatMap(({ kind, outcome, tickAt, firedAt }) => {
    const pause = schedule.paused.find((span) => isIn([span], firedAt.getTime(), toleranceMs));
    if (kind !== "scheduled" || pause === undefined) return [];
    const isOlder = tickAt.getTime() < pause[0];
    if (schedule.overlap === "bufferOne" && outcome === "started" && isOlder) return [];
    const detail = nameOf(schedule, tickAt.getTime());
    return [{ rule: "a paused schedule fires no tick", detail }];
  });

/** A firing has one time for all that it starts. */
const isUnfinished = (
  { createdAt, finishedAt }: StateJob,
  fired: Date | undefined,
  at: number,
  // A completion is stored under the time of its statement, and others see it after the commit.
  statementMs: number,
): boolean =>
  Math.min(createdAt.getTime(), fired?.getTime() ?? Infinity) <= at &&
  at <= (finishedAt?.getTime() ?? Infinity) + statementMs;

/** Sequences of a schedule overlap only if it allows that. A tick is skipped only beside another sequence. */
const judgeOverlap: Judge = (schedule, ticks, history) => {
  const { control, statementMs, creationMs, toleranceMs } = history;
  const byId = new Map(control.jobs.map((job) => [job.id, job]));
  const violations: Violation[] = [];
  const own = ticks.flatMap(({ sequenceId }) => byId.get(sequenceId ?? "") ?? []);
  const firedAs = new Map(ticks.map(({ sequenceId, firedAt }) => [sequenceId, firedAt]));
  for (const { outcome, sequenceId, tickAt } of ticks) {
    if (outcome !== "started" || byId.has(sequenceId ?? "")) continue;
    const detail = nameOf(schedule, tickAt.getTime());
    violations.push({ rule: "a started tick has its sequence", detail });
  }
  if (schedule.overlap === "allow") return violations;
  const sorted = own.toSorted((one, other) => one.ordinal - other.ordinal);
  for (const [index, job] of sorted.entries()) {
    const next = sorted[index + 1];
    // The look for unfinished sequences may be later than the time of the new one.
    const createdAt = (next?.createdAt.getTime() ?? Infinity) + creationMs + toleranceMs;
    if ((job.finishedAt?.getTime() ?? Infinity) <= createdAt || next === undefined) continue;
    violations.push({
      rule: "sequences of a schedule overlap only if it allows it",
      detail: `${nameOf(schedule, createdAt)}: beside ${job.id}`,
    });
  }
  for (const { outcome, tickAt, firedAt } of ticks) {
    if (outcome !== "skipped" || schedule.overlap === "cancelRunning") continue;
    const at = firedAt.getTime();
    if (own.some((job) => isUnfinished(job, firedAs.get(job.id), at, statementMs))) continue;
    const detail = nameOf(schedule, tickAt.getTime());
    violations.push({ rule: "a tick is skipped only beside another sequence", detail });
  }
  return violations;
};

const judges: readonly Judge[] = [judgeInstants, judgeCatchUp, judgePause, judgeOverlap];

/** Each schedule by its own ticks. */
export const checkTicks: Check = (history) => {
  const byName = groupBy(history.control.ticks, ({ scheduleName }) => scheduleName);
  return history.control.schedules.flatMap((schedule) =>
    judges.flatMap((judge) => judge(schedule, byName.get(schedule.name) ?? [], history)),
  );
};
