// Each rule of the kit finds its planted violation, and nothing else does.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { SeenAttempt } from "../src/kit/attempts.ts";
import { checkStore, type Seen } from "../src/kit/check-store.ts";
import { aJob, anEdge, pending } from "./checker/histories.ts";

const attemptOf = (jobId: string, override: Partial<SeenAttempt> = {}): SeenAttempt => ({
  ...{ jobId, leaseVersion: 1, attempt: 1, worker: "w" },
  ...override,
});

const aRun = (override: Partial<Seen>): Seen => ({
  ...{ jobs: [], edges: [], attempts: [], startedIds: [], running: new Map() },
  ...override,
});

const both = [attemptOf("a"), attemptOf("b")];
const second = { sequenceId: "a", position: 1 };

const planted: readonly { readonly rule: string; readonly how: string; readonly seen: Seen }[] = [
  {
    ...{ rule: "a committed start exists", how: "a sequence is gone" },
    seen: aRun({ startedIds: ["a"] }),
  },
  {
    ...{ rule: "a committed start reaches an outcome", how: "a job stays pending" },
    seen: aRun({ jobs: [aJob("a", pending)], startedIds: ["a"] }),
  },
  {
    ...{ rule: "a sequence is one chain", how: "a continuation is not the next job" },
    seen: aRun({ jobs: [aJob("a", { continuedToId: "x" }), aJob("b", second)], attempts: both }),
  },
  {
    ...{ rule: "a sequence is one chain", how: "two jobs have one position" },
    seen: aRun({
      jobs: [aJob("a", { continuedToId: "b" }), aJob("b", { ...second, position: 0 })],
      attempts: both,
    }),
  },
  {
    ...{ rule: "a sequence is one chain", how: "a failed job is continued" },
    seen: aRun({
      jobs: [
        aJob("a", { status: "failed", completedBy: null, continuedToId: "b" }),
        aJob("b", second),
      ],
      attempts: both,
    }),
  },
  {
    ...{ rule: "each attempt has a token of its own", how: "two workers began under one token" },
    seen: aRun({ jobs: [aJob("a")], attempts: [attemptOf("a", { worker: "v" }), attemptOf("a")] }),
  },
  {
    ...{ rule: "no attempt is newer than the stored token", how: "an attempt was forgotten" },
    seen: aRun({
      jobs: [aJob("a")],
      attempts: [attemptOf("a"), attemptOf("a", { leaseVersion: 2, attempt: 2 })],
    }),
  },
  {
    ...{ rule: "the completer of a job had begun it", how: "another worker completed it" },
    seen: aRun({ jobs: [aJob("a")], attempts: [attemptOf("a", { worker: "v" })] }),
  },
  {
    ...{ rule: "no job waits for completed sequences", how: "a job stays blocked" },
    seen: aRun({
      jobs: [aJob("a", { ...pending, status: "blocked" }), aJob("b")],
      edges: [anEdge("a", "b")],
      attempts: [attemptOf("b")],
    }),
  },
  {
    ...{ rule: "a permit ends with its attempt", how: "a limit counts a job that has ended" },
    seen: aRun({ jobs: [aJob("a")], attempts: [attemptOf("a")], running: new Map([["l", 1]]) }),
  },
];

/** A job that stays blocked has no outcome, either. */
const besides: Readonly<Record<string, readonly string[]>> = {
  "no job waits for completed sequences": ["a committed start reaches an outcome"],
};

describe("the rules of the kit", () => {
  it.each(planted)("find that not $rule: $how", ({ rule, seen }) => {
    const found = new Set(checkStore(seen).map((one) => one.rule));
    expect([...found].sort()).toEqual([rule, ...(besides[rule] ?? [])].sort());
  });

  it("have a planted violation each", () => {
    const source = readFileSync(new URL("../src/kit/check-store.ts", import.meta.url), "utf8");
    const rules = [...source.matchAll(/\brule: "([^"]+)"/g)].map(([, rule]) => rule);
    expect([...new Set(planted.map(({ rule }) => rule))].sort()).toEqual(
      [...new Set(rules)].sort(),
    );
  });

  it("find nothing in a sound run", () => {
    const seen = aRun({
      jobs: [
        ...[aJob("a", { continuedToId: "b" }), aJob("b", second)],
        aJob("c", { leaseVersion: 2, attempt: 2 }),
        aJob("d", { status: "cancelled", completedBy: null, leaseVersion: 0, attempt: 0 }),
      ],
      edges: [anEdge("a", "c")],
      attempts: [
        ...both,
        attemptOf("c", { worker: "v" }),
        attemptOf("c", { leaseVersion: 2, attempt: 2 }),
      ],
      startedIds: ["a", "c", "d"],
      running: new Map([["l", 0]]),
    });
    expect(checkStore(seen)).toEqual([]);
  });
});
