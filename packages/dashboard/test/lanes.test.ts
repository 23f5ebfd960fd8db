// The picture of a tree, without a page.
import { describe, expect, it } from "vitest";
import { toPicture } from "../app/lanes/lane-model.ts";
import { createAxis, intervalsOf } from "../app/lanes/time-model.ts";
import type { TreeAnswer } from "../src/api-types.ts";

type Job = TreeAnswer["jobs"][number];

const aJob = (id: string, sequenceId: string, more: Partial<Job> = {}): Job =>
  ({
    id,
    typeName: `type of ${sequenceId}`,
    sequenceId,
    originId: null,
    status: "pending",
    createdAt: "2026-01-01T00:00:00.000Z",
    scheduledAt: "2026-01-01T00:00:00.000Z",
    lastAttemptAt: null,
    finishedAt: null,
    ...more,
  }) as Job;

const aTree = (
  jobs: readonly Job[],
  waits: readonly (readonly [jobId: string, blockerSequenceId: string])[],
): TreeAnswer => ({
  at: "2026-01-01T00:00:00.000Z",
  rootSequenceId: jobs[0]?.sequenceId ?? "",
  sequences: [...new Set(jobs.map(({ sequenceId }) => sequenceId))].map((id) => ({
    id,
    typeName: id.replaceAll(/\d/g, ""),
    rootSequenceId: jobs[0]?.sequenceId ?? "",
    originId: null,
    jobCount: 1,
    status: "pending",
    currentJobId: jobs.findLast(({ sequenceId }) => sequenceId === id)?.id ?? "",
    createdAt: "2026-01-01T00:00:00.000Z",
    finishedAt: null,
    isOutside: false,
  })),
  jobs,
  edges: waits.map(([jobId, blockerSequenceId], index) => ({
    jobId,
    sequenceId: jobs.find(({ id }) => id === jobId)?.sequenceId ?? "",
    blockerSequenceId,
    index,
  })),
  attempts: {},
  cutAt: null,
});

const ranksOf = (tree: TreeAnswer): Record<string, number> =>
  Object.fromEntries(
    toPicture(tree, new Set()).lanes.flatMap(({ nodes }) =>
      nodes.map(({ job, rank }) => [job.id, rank] as const),
    ),
  );

describe("the lanes of a tree", () => {
  it("put a job after its predecessor, its blockers, and the job that started it", () => {
    const tree = aTree(
      [
        aJob("order", "order"),
        aJob("ship", "order"),
        // Started by the job that waits for it.
        aJob("charge", "charge", { originId: "ship" }),
        aJob("receipt", "receipt", { originId: "ship" }),
      ],
      [["ship", "charge"]],
    );
    expect(ranksOf(tree)).toEqual({ order: 0, charge: 0, ship: 1, receipt: 2 });
    const { lanes, waits } = toPicture(tree, new Set());
    expect(lanes.map(({ sequence, depth }) => [sequence.id, depth])).toEqual([
      ["order", 0],
      ["charge", 1],
      ["receipt", 1],
    ]);
    expect(waits).toEqual([{ jobId: "ship", sequenceId: "charge" }]);
  });

  it("end a circle of waits, and take a chain of any length", () => {
    const circle = aTree(
      [aJob("a", "a"), aJob("b", "b")],
      [
        ["a", "b"],
        ["b", "a"],
      ],
    );
    expect(Object.keys(ranksOf(circle)).sort()).toEqual(["a", "b"]);
    const chain = Array.from({ length: 5_000 }, (_, index) => aJob(`job${index}`, `step${index}`));
    const waits = chain.slice(0, -1).map(({ id }, index) => [id, `step${index + 1}`] as const);
    const picture = toPicture(aTree(chain, waits), new Set());
    expect([picture.lanes.length, picture.columns]).toEqual([5_000, 5_000]);
  });

  it("bundle more than 12 alike lanes until the bundle is opened", () => {
    const photos = Array.from({ length: 13 }, (_, index) => aJob(`p${index}`, `photo${index}`));
    const tree = aTree(
      [aJob("album", "album"), ...photos],
      photos.map(({ sequenceId }) => ["album", sequenceId]),
    );
    const { lanes, waits } = toPicture(tree, new Set());
    expect(lanes.map(({ bundled }) => bundled.length)).toEqual([0, 13]);
    expect(waits).toEqual([{ jobId: "album", sequenceId: "photo0" }]);
    const opened = toPicture(tree, new Set([lanes[1]?.kin ?? ""]));
    expect([opened.lanes.length, opened.waits.length]).toEqual([14, 13]);
  });
});

describe("the time of a tree", () => {
  const at = (seconds: number): string => new Date(seconds * 1_000).toISOString();

  it("tells blocked, due, failed, waiting and running parts of a job", () => {
    const job = aJob("a", "a", {
      status: "completed",
      createdAt: at(0),
      scheduledAt: at(20),
      lastAttemptAt: at(21),
      finishedAt: at(25),
    });
    const attempt = {
      dueAt: at(5),
      startedAt: at(6),
      endedAt: at(8),
      nextAt: at(20),
    } as never;
    const parts = intervalsOf(job, [attempt], 5_000, 30_000);
    expect(parts.map(({ kind, from, to }) => [kind, from / 1_000, to / 1_000])).toEqual([
      ["blocked", 0, 5],
      ["due", 5, 6],
      ["failed", 6, 8],
      ["waits", 8, 20],
      ["due", 20, 21],
      ["ran", 21, 25],
    ]);
  });

  it("folds a long part in which nothing changes, and keeps the order of instants", () => {
    const instants = [0, 1_000, 2_000, 3_000, 4_000_000, 4_001_000];
    const axis = createAxis(instants);
    expect(axis.folds.map(({ ms }) => ms)).toEqual([3_997_000]);
    const places = instants.map(axis.at);
    expect(places).toEqual([...places].sort((left, right) => left - right));
    expect([places[0], places.at(-1)]).toEqual([0, 1]);
    expect(places[3]).toBeGreaterThan(0.1);
  });
});
