import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { check } from "../../src/checker/check.ts";
import { externalLease, type Fault } from "../../src/checker/history.ts";
import { aHistory, aJob, aLease, anEdge, began, instant, ran, started } from "./histories.ts";
import { plantedAttempts } from "./planted-attempts.ts";
import { plantedOutcomes } from "./planted-outcomes.ts";
import { plantedControl, twoSignalsOfOneKey } from "./planted-control.ts";
import { plantedErrands, soundErrands } from "./planted-errands.ts";
import { otherType, plantedKeys, soundWait } from "./planted-keys.ts";
import { plantedTicks, soundTicks } from "./planted-ticks.ts";
import { plantedTimes } from "./planted-times.ts";

const planted = [
  ...[...plantedOutcomes, ...plantedAttempts, ...plantedTimes],
  ...[...plantedControl, ...plantedErrands, ...plantedKeys, ...plantedTicks],
];

const rulesOf = (history: Parameters<typeof check>[0]): readonly string[] =>
  check(history).map(({ rule }) => rule);

const server: Fault = {
  kind: "restart",
  process: null,
  from: instant(1_000),
  until: instant(11_000),
  stopsAll: true,
};

describe("check", () => {
  it.each(planted)("finds that not $rule: $how", ({ rule, besides = [], history }) => {
    // And nothing else: a rule that answers to another's violation would hide one of its own.
    expect([...new Set(rulesOf(history))].sort()).toEqual([rule, ...besides].sort());
  });

  it("has a planted violation for every rule", () => {
    const folder = new URL("../../src/checker/", import.meta.url);
    const text = readdirSync(folder)
      .map((name) => readFileSync(new URL(name, folder), "utf8"))
      .join("\n");
    const rules = [...text.matchAll(/\brule(?: =|:) "([^"]+)"/g)].map((match) => match[1]);
    expect(rules.length).toBeGreaterThan(25);
    expect([...new Set(rules)].sort()).toEqual(
      [...new Set(planted.map(({ rule }) => rule))].sort(),
    );
  });

  it("finds nothing where the key of a signal was used again", () => {
    expect(check(twoSignalsOfOneKey)).toEqual([]);
  });

  it("finds nothing in a sound history", () => {
    const history = aHistory({
      entries: [
        started("a"),
        { kind: "rolledBack", at: instant(0), path: "z" },
        ...ran("a", { at: instant(1_000) }),
        ...[...ran("b"), began("c")],
        ...ran("c", { process: "x", leaseVersion: 2, attempt: 2, at: instant(13_000) }),
        { kind: "completedExternally", at: instant(10), jobId: "e" },
      ],
      jobs: [
        aJob("a", { finishedAt: 1_100, plan: { mode: "atomic" } }),
        aJob("b", { finishedAt: 950 }),
        aJob("c", { completedBy: "x", leaseVersion: 2, attempt: 2, finishedAt: 13_500 }),
        aJob("e", { completedBy: null, leaseVersion: 0, attempt: 0, lastAttemptAt: null }),
      ],
      rows: [
        { jobId: "a", leaseVersion: 1, path: "a" },
        { jobId: "e", leaseVersion: externalLease, path: "e" },
      ],
      edges: [anEdge("a", "b")],
      // No job is reclaimed while the server is away.
      faults: [server],
      leases: [aLease("c", { lastSeenAt: instant(11_900) })],
    });
    expect(check(history)).toEqual([]);
  });

  it.each(Object.entries({ ...soundErrands, ...soundTicks, soundWait, otherType }))(
    "finds nothing in sound errands: %s",
    (_, history) => {
      expect(check(history)).toEqual([]);
    },
  );

  it("allows a cancellation for a tree that is gone", () => {
    const call = { call: "c", sequenceId: "gone" };
    const history = aHistory({
      entries: [
        { kind: "cancelling", at: instant(400), ...call },
        { kind: "cancelled", at: instant(600), ...call, isDone: true },
        { kind: "deleting", at: instant(700), rootSequenceId: "gone" },
      ],
      jobs: [aJob("a", { status: "cancelled", completedBy: null, finishedAt: 500 })],
    });
    expect(check(history)).toEqual([]);
  });

  it("allows a cancellation after a waiter was told of the failure", () => {
    const call = { call: "c", sequenceId: "a" };
    const toldOf = (lastAttemptError: string | null) =>
      aHistory({
        entries: [
          { kind: "awaited", at: instant(300), sequenceId: "a", how: "failed", path: null },
          { kind: "cancelling", at: instant(400), ...call },
          { kind: "cancelled", at: instant(600), ...call, isDone: true },
        ],
        jobs: [
          aJob("a", { status: "cancelled", completedBy: null, finishedAt: 500, lastAttemptError }),
        ],
      });
    expect(check(toldOf("Error: broken"))).toEqual([]);
    expect(check(toldOf(null))).toMatchObject([{ rule: "waiters receive the stored outcome" }]);
  });

  it("allows a key again outside of the window", () => {
    const deduplication = { key: "k", strategy: "all", windowMs: 1_000 } as const;
    const key = { deduplicationKey: "k", plan: { deduplication } };
    const history = aHistory({
      entries: [...ran("a"), ...ran("b", { at: instant(1_600) })],
      jobs: [aJob("a", key), aJob("b", { ...key, createdAt: 1_500, finishedAt: 2_000 })],
    });
    expect(check(history)).toEqual([]);
  });

  it("allows a key again once its sequence has failed, and a retry after that", () => {
    const key = { deduplicationKey: "k" };
    const history = aHistory({
      entries: [
        ...[...ran("a"), ...ran("b", { at: instant(1_100) })],
        {
          ...{ kind: "retrying", at: instant(2_900), jobId: "a", sequenceId: "a" },
          failedAt: instant(900),
        },
        {
          ...{ kind: "retried", at: instant(3_000), jobId: "a", sequenceId: "a" },
          failedAt: instant(900),
        },
        ...ran("a", { leaseVersion: 2, at: instant(3_100) }),
      ],
      jobs: [
        aJob("a", { ...key, leaseVersion: 2, finishedAt: 3_200 }),
        aJob("b", { ...key, createdAt: 1_000, finishedAt: 2_000 }),
      ],
    });
    expect(check(history)).toEqual([]);
  });
});
