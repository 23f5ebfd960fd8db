import { describe, expect, it } from "vitest";
import { participantNames } from "../src/participants/index.ts";
import { tinyRun } from "./command-line.ts";

const ours = participantNames.filter((name) => name.startsWith("queuert-"));
const floors = ["floor-postgres", "floor-sqlite", "floor-mongodb"];
// A second floor of a store, in relation to its first.
const others = participantNames.filter(
  (name) => name.startsWith("floor-") && !floors.includes(name),
);
const timeout = 120_000;

describe("a run", () => {
  it("drains with each of our participants and each floor", { timeout }, async () => {
    const participants = [...ours, ...floors, ...others];
    const { lines, stdout } = await tinyRun(["drain-value"], participants);
    expect(lines.map(({ participant }) => participant)).toEqual(participants);
    for (const line of lines) {
      expect(line).toEqual({
        case: "drain-value",
        participant: line.participant,
        median: expect.any(Number),
        low: line.median,
        high: line.median,
        unit: "jobs/s",
        ratioToFloor: line.participant === "queuert-in-process" ? null : expect.any(Number),
      });
      expect(line.median).toBeGreaterThan(0);
    }
    for (const floor of floors) {
      expect(lines.find(({ participant }) => participant === floor)?.ratioToFloor).toBe(1);
    }
    expect(stdout).toContain("Seed 7, 1 rounds");
    expect(stdout).toContain("fsync on, synchronous_commit on, full_page_writes on");
    expect(stdout).toContain("statements/job | WAL bytes/job");
  });

  it("measures every shape of work", { timeout }, async () => {
    const cases = ["start-10", "start-bulk", "drain-callback", "chain-5", "fan-in-10"];
    const { lines } = await tinyRun(cases, ["queuert-sqlite", "floor-sqlite"]);
    const measured = lines.map((line) => `${line.case} ${line.participant}`);
    expect(measured).toEqual([
      ...cases.slice(0, 3).flatMap((name) => [`${name} queuert-sqlite`, `${name} floor-sqlite`]),
      "chain-5 queuert-sqlite",
      "fan-in-10 queuert-sqlite",
    ]);
    for (const { error, median } of lines) {
      expect(error).toBeUndefined();
      expect(median).toBeGreaterThan(0);
    }
  });

  it("measures latency, memory and idle queries", { timeout }, async () => {
    const cases = ["latency-idle", "memory", "idle-queries"];
    const { lines } = await tinyRun(cases, ["queuert-in-process"]);
    expect(lines.map((line) => `${line.case}: ${line.unit}`)).toEqual([
      "latency-idle: ms p50",
      "latency-idle: ms p99",
      "memory: MB idle",
      "memory: MB peak",
      "idle-queries: queries/min",
    ]);
  });

  it.each([
    ["payload-200k", ["jobs/s"]],
    ["full-table-3m", ["jobs/s"]],
    ["memory-100k", ["MB idle", "MB peak"]],
    ["many-types", ["ms p50", "ms p99", "ms with the worker's start"]],
    ["soak-held", ["jobs/s last sixth", "jobs/s first sixth", "ms p99", "ms p99 last sixth"]],
  ])("measures %s", { timeout }, async (name, units) => {
    const { lines } = await tinyRun([name], ["queuert-sqlite"]);
    expect(lines.map(({ unit, error }) => error ?? unit)).toEqual(units);
    // A machine that stands still for a second may have no job in one part of the soak.
    expect(lines.some(({ median }) => median !== null && median > 0)).toBe(true);
  });

  it(
    "shows a participant that fails with its error, and measures the others",
    {
      timeout,
    },
    async () => {
      // Its store is the memory of a process: no other process can fill it.
      const { lines, stdout } = await tinyRun(
        ["full-table"],
        ["queuert-in-process", "queuert-sqlite"],
      );
      const [failed, measured] = lines;
      expect(failed).toMatchObject({
        participant: "queuert-in-process",
        median: null,
        error: "its table cannot be filled from outside",
      });
      expect(measured?.median).toBeGreaterThan(0);
      expect(stdout).toContain(
        "| queuert-in-process | failed: its table cannot be filled from outside |",
      );
    },
  );
});
