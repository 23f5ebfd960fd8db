// How often, when, and in which order attempts began.
import { farAheadMs } from "../../src/load/plan.ts";
import { aHistory, aJob, anEdge, instant, pending, ran } from "./histories.ts";
import type { Planted } from "./planted.ts";

export const plantedAttempts: readonly Planted[] = [
  {
    rule: "a job fails only when its attempts are used up",
    how: "it had two left",
    history: aHistory({
      entries: [...ran("a")],
      jobs: [aJob("a", { status: "failed", completedBy: null })],
    }),
  },
  {
    rule: "every attempt is counted once",
    how: "the second counts as the first",
    history: aHistory({
      entries: [...ran("a"), ...ran("a", { leaseVersion: 2 })],
      jobs: [aJob("a", { leaseVersion: 2 })],
    }),
  },
  {
    rule: "every attempt is counted once",
    how: "it ran beyond the last",
    history: aHistory({
      entries: [...ran("a", { attempt: 4, leaseVersion: 4 })],
      jobs: [aJob("a", { attempt: 4, leaseVersion: 4 })],
    }),
  },
  {
    rule: "no attempt begins before its time",
    how: "weeks before",
    history: aHistory({
      entries: [...ran("a")],
      jobs: [aJob("a", { plan: { afterMs: farAheadMs } })],
    }),
  },
  {
    rule: "no attempt begins before its time",
    how: "before the instant it was scheduled for",
    history: aHistory({
      entries: [...ran("a")],
      jobs: [aJob("a", { plan: { isAt: true, at: instant(200) } })],
    }),
  },
  {
    rule: "no attempt begins before its blockers are complete",
    how: "the blocker ends later",
    history: aHistory({
      entries: [...ran("a", { at: instant(100) }), ...ran("b")],
      jobs: [aJob("a"), aJob("b", { finishedAt: 101 })],
      edges: [anEdge("a", "b")],
    }),
  },
  {
    rule: "no job waits for a completed sequence",
    how: "a job is blocked by it",
    besides: ["a committed start reaches an outcome"],
    history: aHistory({
      entries: [...ran("b")],
      jobs: [aJob("a", { ...pending, status: "blocked" }), aJob("b")],
      edges: [anEdge("a", "b")],
    }),
  },
  {
    rule: "a job that must fail with its blocker has failed",
    how: "it is blocked still",
    besides: ["a committed start reaches an outcome"],
    history: aHistory({
      entries: [...ran("b")],
      jobs: [
        aJob("a", { ...pending, status: "blocked", onBlockerFailure: "fail" }),
        aJob("b", { status: "failed", attempt: 3, leaseVersion: 3, completedBy: null }),
      ],
      edges: [anEdge("a", "b")],
    }),
  },
  {
    rule: "nothing is running without a live lease",
    how: "it expired long ago",
    besides: ["a committed start reaches an outcome"],
    history: aHistory({
      entries: [...ran("a")],
      jobs: [
        aJob("a", {
          ...{ status: "running", completedBy: null, finishedAt: null },
          ...{ leasedBy: "w", leasedUntil: new Date(instant(2_000)) },
        }),
      ],
    }),
  },
];
