// Keys, order, leases and waiters.
import { type Fault } from "../../src/checker/history.ts";
import { aHistory, aJob, aLease, began, instant, ran, started } from "./histories.ts";
import type { Planted } from "./planted.ts";

const key = { deduplicationKey: "k" };
const withKey = (strategy: "completed" | "all", windowMs: number | null = null) => ({
  ...key,
  plan: { deduplication: { key: "k", strategy, windowMs } },
});
const killed: Fault = {
  ...{ kind: "kill", process: "w", from: instant(200), until: instant(200) },
  stopsAll: false,
};

export const plantedTimes: readonly Planted[] = [
  {
    rule: "one sequence for a key",
    how: "the second began while the first was unfinished",
    history: aHistory({
      entries: [...ran("a"), ...ran("b", { at: instant(600) })],
      jobs: [
        aJob("a", withKey("completed")),
        aJob("b", { ...withKey("completed"), createdAt: 500, finishedAt: 2_000 }),
      ],
    }),
  },
  {
    rule: "one sequence for a key",
    how: 'under "all", after the first had ended',
    history: aHistory({
      entries: [...ran("a"), ...ran("b", { at: instant(6_000) })],
      jobs: [
        aJob("a", withKey("completed")),
        aJob("b", { ...withKey("all"), createdAt: 5_000, finishedAt: 6_000 }),
      ],
    }),
  },
  {
    rule: "a sequence that is found for a key holds it",
    how: "it had ended before anybody asked",
    history: aHistory({
      entries: [
        ...ran("a"),
        {
          ...{ kind: "deduplicated", askedAt: instant(2_000), at: instant(2_100) },
          ...{ sequenceId: "a", path: "b", key: "k", strategy: "completed", windowMs: null },
        },
      ],
      jobs: [aJob("a", withKey("completed"))],
    }),
  },
  {
    rule: "a sequence that is found for a key holds it",
    how: "it was older than the window",
    history: aHistory({
      entries: [
        ...ran("a"),
        {
          ...{ kind: "deduplicated", askedAt: instant(2_000), at: instant(2_100) },
          ...{ sequenceId: "a", path: "b", key: "k", strategy: "all", windowMs: 1_000 },
        },
      ],
      jobs: [aJob("a", withKey("all"))],
    }),
  },
  {
    rule: "one sequence for a key",
    how: "the first was within the second's window",
    history: aHistory({
      entries: [...ran("a"), started("b", instant(600)), ...ran("b", { at: instant(600) })],
      jobs: [
        aJob("a", withKey("all")),
        aJob("b", { ...withKey("all", 1_000), createdAt: 500, finishedAt: 2_000 }),
      ],
    }),
  },
  {
    rule: "jobs of a type are claimed in order",
    how: "a later one long before",
    history: aHistory({
      entries: [
        ...[started("a"), ...ran("a", { at: instant(20_000) })],
        ...[started("b"), ...ran("b", { at: instant(10_000) })],
      ],
      jobs: [
        aJob("a", { lastAttemptAt: new Date(instant(20_000)), finishedAt: 20_100 }),
        aJob("b", { lastAttemptAt: new Date(instant(10_000)), finishedAt: 10_100 }),
      ],
    }),
  },
  {
    rule: "an expired lease is taken back in time",
    how: "it is the vanished worker's for two leases",
    history: aHistory({ faults: [killed], leases: [aLease("a", { lastSeenAt: instant(5_000) })] }),
  },
  {
    rule: "an expired lease is taken back in time",
    how: "a server was away, and had been back for long",
    history: aHistory({
      faults: [
        { ...killed, kind: "restart", process: null, stopsAll: true, until: instant(3_000) },
      ],
      leases: [aLease("a", { lastSeenAt: instant(5_000) })],
    }),
  },
  {
    rule: "a lease is no longer than was asked for",
    how: "by the clock of a worker that is an hour ahead",
    history: aHistory({ leases: [aLease("a", { aheadMs: 3_602_000 })] }),
  },
  {
    rule: "a lease has one holder",
    how: "two workers were seen with it",
    history: aHistory({ leases: [aLease("a"), aLease("a", { holder: "x" })] }),
  },
  {
    rule: "only an outcome that a process function returned is stored",
    how: "it threw after it had given it",
    history: aHistory({ entries: [...ran("a", {}, "threw")], jobs: [aJob("a")] }),
  },
  {
    rule: "only an outcome that a process function returned is stored",
    how: "it has not ended",
    history: aHistory({ entries: [began("a")], jobs: [aJob("a")] }),
  },
  {
    rule: "nothing is stored before the process function has ended",
    how: "it was still at work",
    history: aHistory({
      entries: [...ran("a", { at: instant(1_000) })],
      jobs: [aJob("a", { finishedAt: 900 })],
    }),
  },
  {
    rule: "waiters receive the stored outcome",
    how: "another job's output",
    history: aHistory({
      entries: [
        ...ran("a"),
        { kind: "awaited", at: instant(1_000), sequenceId: "a", how: "completed", path: "b" },
      ],
      jobs: [aJob("a")],
    }),
  },
  {
    rule: "waiters receive the stored outcome",
    how: "a failure that there was not",
    history: aHistory({
      entries: [
        ...ran("a"),
        { kind: "awaited", at: instant(1_000), sequenceId: "a", how: "failed", path: null },
      ],
      jobs: [aJob("a")],
    }),
  },
  {
    rule: "nothing outlives stop and close",
    how: "a timer does",
    history: aHistory({
      entries: [{ kind: "leaked", at: instant(0), process: "w", what: "1 timers" }],
    }),
  },
  {
    rule: "no connection outlives close",
    how: "the server has one still",
    history: aHistory({
      entries: [{ kind: "connected", at: instant(0), process: "w", count: 1 }],
    }),
  },
];
