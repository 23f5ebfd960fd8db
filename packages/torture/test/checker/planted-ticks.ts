// Schedules: one with a tick at every hour, from midnight to four. At midnight all is sound.
import type { StateTick } from "queuert/internal";
import type { LoadSchedule, Ticked } from "../../src/checker/control-history.ts";
import type { History } from "../../src/checker/history.ts";
import { aHistory, aJob, control, instant } from "./histories.ts";
import type { Planted } from "./planted.ts";

const hourMs = 3_600_000;
const midnight = Date.UTC(2026, 2, 29);
const hour = (count: number): number => midnight + count * hourMs;

const aSchedule = (override: Partial<LoadSchedule> = {}): LoadSchedule => ({
  ...{ name: "hourly", spec: { cron: "0 * * * *", timeZone: "UTC", everyMs: null } },
  ...{ catchUp: "latest", overlap: "allow", graceMs: 60_000 },
  ...{ active: [[midnight, hour(4)]], paused: [] },
  ...override,
});

const aTick = (count: number, override: Partial<StateTick> = {}): StateTick => ({
  ...{ scheduleName: "hourly", tickAt: new Date(hour(count)), kind: "scheduled" },
  ...{ outcome: "started", sequenceId: `t${count}`, firedAt: new Date(hour(count) + 20) },
  ...override,
});

const startedBy = ({ sequenceId, firedAt }: StateTick, ms = 1_000) => {
  const at = firedAt.getTime() - instant(0);
  return aJob(sequenceId ?? "", { typeName: "tick", createdAt: at, finishedAt: at + ms });
};

const all = [0, 1, 2, 3].map((count) => aTick(count));

const judged = (
  ticks: readonly StateTick[],
  schedule: Partial<LoadSchedule> = {},
  jobs = all.map((tick) => startedBy(tick)),
) =>
  aHistory({ now: hour(4), control: control({ schedules: [aSchedule(schedule)], ticks, jobs }) });

const ticked = (jobId: string): Ticked => ({
  ...{ kind: "ticked", at: hour(0), jobId, schedule: "hourly", tickAt: hour(0), isManual: false },
});

const with2 = (override: Partial<StateTick>): readonly StateTick[] =>
  all.map((tick, count) => (count === 2 ? aTick(2, override) : tick));

const skipped = with2({ outcome: "skipped", sequenceId: null });

/** The job of one o'clock has ended three seconds before two. */
const endedBefore2 = all.map((tick, count) => startedBy(tick, count === 1 ? hourMs - 3_000 : 1));

/** On real stores, where a time is stored before its commit, and the ends of a pause are known to some milliseconds. */
export const soundTicks: Readonly<Record<string, History>> = {
  "a tick beside a completion that commits":
    // The completion had been stored, and was not committed.
    { ...judged(skipped, { overlap: "skip" }, endedBefore2), statementMs: 5_000 },
  "a sequence with the time of before the look for others": {
    ...judged(
      all,
      { overlap: "skip" },
      all.map((tick, count) => startedBy(tick, count === 1 ? hourMs + 3_000 : 1)),
    ),
    creationMs: 5_000,
  },
  "a buffered tick that a trigger starts in a pause": judged(
    with2({ firedAt: new Date(hour(2.5)) }),
    {
      ...{ overlap: "bufferOne", catchUp: { withinMs: hourMs } },
      ...{ active: [[midnight, hour(2) + 1]], paused: [[hour(2) + 2, hour(3)]] },
    },
  ),
  "a tick at the end of a pause": {
    ...judged(all, { active: [[midnight, hour(2) - 100]], paused: [[hour(2) - 99, hour(2) + 23]] }),
    toleranceMs: 5,
  },
};

export const plantedTicks: readonly Planted[] = [
  {
    rule: "one sequence for an instant of a schedule",
    how: "two jobs have the same tick",
    history: aHistory({ entries: [ticked("t0"), ticked("u0")] }),
  },
  {
    rule: "no tick is lost",
    how: "there is none at two o'clock",
    history: judged(all.filter((_tick, count) => count !== 2)),
  },
  {
    rule: "a tick is an instant of its schedule",
    how: "at half past two, in the hour that a zone leaves out",
    history: judged(
      [...all, aTick(2.5)],
      {},
      [...all, aTick(2.5)].map((tick) => startedBy(tick)),
    ),
  },
  {
    rule: "a late tick follows its catch-up",
    how: "a tick in time is left out",
    history: judged(with2({ outcome: "missed", sequenceId: null })),
  },
  {
    rule: "a late tick follows its catch-up",
    how: "the latest of the late ones is left out",
    history: judged(with2({ outcome: "missed", sequenceId: null, firedAt: new Date(hour(2.5)) })),
  },
  {
    rule: "a late tick follows its catch-up",
    how: "a late one starts although all are left out",
    history: judged(with2({ firedAt: new Date(hour(2.5)) }), { catchUp: "skip" }),
  },
  {
    rule: "a paused schedule fires no tick",
    how: "it fires at two",
    history: judged(all, { active: [[midnight, hour(2)]], paused: [[hour(2) + 1, hour(3)]] }),
  },
  {
    rule: "a paused schedule fires no tick",
    how: "a tick of the pause is started late",
    history: judged(with2({ firedAt: new Date(hour(2.5)) }), {
      ...{ overlap: "bufferOne", catchUp: { withinMs: hourMs } },
      ...{ active: [[midnight, hour(1) + 1]], paused: [[hour(1) + 2, hour(3)]] },
    }),
  },
  {
    rule: "a started tick has its sequence",
    how: "nothing was created for it",
    history: judged(
      all,
      {},
      all.slice(1).map((tick) => startedBy(tick)),
    ),
  },
  {
    rule: "sequences of a schedule overlap only if it allows it",
    how: "the first runs for two hours",
    history: judged(
      all,
      { overlap: "skip" },
      all.map((tick, count) => startedBy(tick, count === 0 ? 2 * hourMs : 1_000)),
    ),
  },
  {
    rule: "a tick is skipped only beside another sequence",
    how: "the other had ended long before its commit could come",
    history: { ...judged(skipped, { overlap: "skip" }, endedBefore2), statementMs: 2_000 },
  },
  {
    rule: "a tick is skipped only beside another sequence",
    how: "nothing was running",
    history: judged(with2({ outcome: "skipped", sequenceId: null }), { overlap: "skip" }),
  },
];
