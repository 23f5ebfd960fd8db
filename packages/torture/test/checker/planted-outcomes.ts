// Started sequences and their outcomes.
import { externalLease } from "../../src/checker/history.ts";
import { aHistory, aJob, anEdge, instant, pending, ran, started, removed } from "./histories.ts";
import type { Planted } from "./planted.ts";

export const plantedOutcomes: readonly Planted[] = [
  {
    rule: "a start that was rolled back leaves nothing",
    how: "its job is there",
    history: aHistory({
      entries: [{ kind: "rolledBack", at: instant(0), path: "a" }, ...ran("a")],
      jobs: [aJob("a")],
    }),
  },
  {
    rule: "a committed start exists",
    how: "its job is not there",
    history: aHistory({ entries: [started("a")] }),
  },
  {
    rule: "a committed start reaches an outcome",
    how: "it is pending still",
    history: aHistory({ entries: [started("a")], jobs: [aJob("a", pending)] }),
  },
  {
    rule: "a job is created once",
    how: "a continuation was stored twice",
    history: aHistory({
      entries: [...ran("a"), ...ran("b"), ...ran("c")],
      jobs: [aJob("a"), aJob("b", { plan: { path: "n" } }), aJob("c", { plan: { path: "n" } })],
    }),
  },
  {
    rule: "a sequence is one chain",
    how: "two jobs at one position",
    history: aHistory({
      entries: [...ran("a"), ...ran("b"), ...ran("c")],
      jobs: [
        aJob("a", { continuedToId: "b" }),
        aJob("b", { sequenceId: "a", rootSequenceId: "a", position: 1 }),
        aJob("c", { sequenceId: "a", rootSequenceId: "a", position: 1 }),
      ],
    }),
  },
  {
    rule: "only a completed job is continued",
    how: "it is pending, and has a next one",
    history: aHistory({
      entries: [...ran("b")],
      jobs: [
        aJob("a", { ...pending, continuedToId: "b" }),
        aJob("b", { sequenceId: "a", rootSequenceId: "a", position: 1 }),
      ],
    }),
  },
  {
    rule: "nothing is left of a tree that was deleted",
    how: "a job is",
    history: aHistory({
      entries: [
        { kind: "deleting", at: instant(0), rootSequenceId: "a" },
        { kind: "deleted", at: instant(1), rootSequenceId: "a" },
        ...ran("a"),
      ],
      jobs: [aJob("a")],
    }),
  },
  {
    rule: "a tree is deleted whole",
    how: "its root has gone alone",
    history: aHistory({ entries: [...ran("b")], jobs: [aJob("b", { rootSequenceId: "a" })] }),
  },
  {
    rule: "retention takes a tree whole",
    how: "its root is left",
    history: aHistory({
      entries: [...ran("a"), ...ran("b")],
      jobs: [aJob("a"), aJob("b", { rootSequenceId: "a" })],
      removed: [removed("b", 20_000)],
    }),
  },
  {
    rule: "retention deletes only trees that have been complete for long",
    how: "it had ended nine seconds before",
    history: aHistory({
      entries: [...ran("a")],
      jobs: [aJob("a")],
      removed: [removed("a", 9_900)],
    }),
  },
  {
    rule: "retention deletes only trees that have been complete for long",
    how: "it had failed",
    history: aHistory({
      entries: [...ran("a", {}, "threw")],
      jobs: [aJob("a", { status: "failed", completedBy: null, plan: { isHopeless: true } })],
      removed: [removed("a", 20_000)],
    }),
  },
  {
    rule: "retention deletes no sequence that a job waits for",
    how: "another tree ended later",
    history: aHistory({
      entries: [...ran("a", { at: instant(21_000) }), ...ran("b")],
      jobs: [aJob("a", { finishedAt: 21_100 }), aJob("b")],
      edges: [anEdge("a", "b")],
      removed: [removed("b", 20_000)],
    }),
  },
  {
    rule: "a user row for each outcome, and none besides",
    how: "there are two",
    history: aHistory({
      entries: [...ran("a")],
      jobs: [aJob("a", { plan: { mode: "callback" } })],
      rows: [
        { jobId: "a", leaseVersion: 1, path: "a" },
        { jobId: "a", leaseVersion: 1, path: "a" },
      ],
    }),
  },
  {
    rule: "a user row for each outcome, and none besides",
    how: "there is none",
    history: aHistory({
      entries: [...ran("a")],
      jobs: [aJob("a", { plan: { mode: "callback" } })],
    }),
  },
  {
    rule: "the row is of the attempt that completed the job",
    how: "it is of the one before",
    history: aHistory({
      entries: [...ran("a"), ...ran("a", { leaseVersion: 2, attempt: 2 })],
      jobs: [aJob("a", { plan: { mode: "callback" }, leaseVersion: 2, attempt: 2 })],
      rows: [{ jobId: "a", leaseVersion: 1, path: "a" }],
    }),
  },
  {
    rule: "no row without a job",
    how: "its job is not there",
    history: aHistory({
      entries: [started("b"), ...ran("b")],
      jobs: [aJob("b")],
      rows: [{ jobId: "a", leaseVersion: 1, path: "b.n" }],
    }),
  },
  {
    rule: "each attempt has a token of its own",
    how: "two workers began under one",
    besides: ["every attempt is counted once"],
    history: aHistory({ entries: [...ran("a"), ...ran("a")], jobs: [aJob("a")] }),
  },
  {
    rule: "no attempt is newer than the stored token",
    how: "it has the next one",
    history: aHistory({
      entries: [...ran("a"), ...ran("a", { leaseVersion: 2, attempt: 2 })],
      jobs: [aJob("a")],
    }),
  },
  {
    rule: "the completer of a job had begun it",
    how: "another had",
    history: aHistory({ entries: [...ran("a", { process: "other" })], jobs: [aJob("a")] }),
  },
  {
    rule: "a completion without a worker stands",
    how: "a worker has completed it",
    besides: ["a user row for each outcome, and none besides"],
    history: aHistory({
      entries: [{ kind: "completedExternally", at: instant(0), jobId: "a" }, ...ran("a")],
      jobs: [aJob("a")],
      rows: [{ jobId: "a", leaseVersion: externalLease, path: "a" }],
    }),
  },
];
