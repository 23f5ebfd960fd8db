import { describe, expect, it } from "vitest";
import { median } from "../src/report/statistics.ts";
import { toLines } from "../src/report/to-lines.ts";
import { bench, writeLines } from "./command-line.ts";

const timeout = 30_000;

const line = (participant: string, [low, middle, high]: readonly number[], unit = "jobs/s") => ({
  ...{ case: "drain-value", participant, median: middle, low, high, unit },
  ratioToFloor: null,
});

describe("compare", () => {
  it(
    "reports better and worse figures beyond the spread, and fails if one is worse",
    {
      timeout,
    },
    async () => {
      const before = writeLines([
        line("queuert-postgres", [90, 100, 110]),
        line("queuert-sqlite", [90, 100, 110]),
        line("queuert-mongodb", [90, 100, 110]),
        line("queuert-postgres-notify", [1, 2, 3], "ms p50"),
        line("gone", [1, 2, 3]),
      ]);
      const after = writeLines([
        line("queuert-postgres", [150, 160, 170]),
        line("queuert-sqlite", [60, 70, 80]),
        line("queuert-mongodb", [105, 115, 120]),
        line("queuert-postgres-notify", [4, 5, 6], "ms p50"),
        line("new", [1, 2, 3]),
      ]);
      const { code, stdout } = await bench(["compare", before, after]);
      const verdicts = stdout
        .split("\n")
        .slice(2)
        .map((row) => row.split("|").map((cell) => cell.trim()))
        .filter((cells) => cells.length > 3)
        .map((cells) => [cells[2], cells[7]]);
      expect(Object.fromEntries(verdicts)).toEqual({
        "queuert-postgres": "better",
        "queuert-sqlite": "worse",
        "queuert-mongodb": "same",
        "queuert-postgres-notify": "worse",
        gone: "gone",
        new: "new",
      });
      expect(code).toBe(1);
    },
  );

  it("finds a file equal to itself", { timeout }, async () => {
    const file = writeLines([line("queuert-postgres", [90, 100, 110])]);
    const { code, stdout } = await bench(["compare", file, file]);
    expect(stdout).toContain("| 0 % | same |");
    expect(code).toBe(0);
  });
});

describe("the command line", () => {
  it("names the cases when it is given one that does not exist", { timeout }, async () => {
    const { code, stderr } = await bench(["--case", "drain"]);
    expect(code).toBe(2);
    expect(stderr).toContain('There is no case "drain"; there are: start-1,');
  });

  it("refuses a number of rounds that is none", { timeout }, async () => {
    const { code, stderr } = await bench(["--rounds", "many"]);
    expect(code).toBe(2);
    expect(stderr).toContain('--rounds takes a whole number above zero, not "many"');
  });
});

describe("toLines", () => {
  const rounds = (values: readonly number[]) =>
    values.map((value) => ({ measured: { "jobs/s": value } }));
  const common = { settings: "" };

  it("takes the ratio of medians to the floor of the same store", () => {
    const lines = toLines("drain-value", [
      { ...common, participant: "queuert-sqlite", store: "sqlite", rounds: rounds([10, 30, 20]) },
      { ...common, participant: "floor-sqlite", store: "sqlite", rounds: rounds([40, 40, 90]) },
      { ...common, participant: "bullmq", store: "redis", rounds: rounds([1]) },
    ]);
    expect(
      lines.map(({ median, low, high, ratioToFloor }) => [median, low, high, ratioToFloor]),
    ).toEqual([
      [20, 10, 30, 0.5],
      [40, 40, 90, 1],
      [1, 1, 1, null],
    ]);
  });

  it("takes another floor of the store if the first did not take part", () => {
    const lines = toLines("start-in-tx-1", [
      { ...common, participant: "floor-postgres-batched", store: "postgres", rounds: rounds([8]) },
      { ...common, participant: "queuert-postgres", store: "postgres", rounds: rounds([6]) },
    ]);
    expect(lines.map(({ ratioToFloor }) => ratioToFloor)).toEqual([1, 0.75]);
  });

  it("gives no figure for a participant that failed in a later round", () => {
    const [failed] = toLines("drain-value", [
      { ...common, participant: "one", store: "redis", rounds: rounds([5]), error: "lost" },
    ]);
    expect(failed).toMatchObject({ median: null, unit: "jobs/s", error: "lost" });
  });

  it("takes the middle of two for an even number of rounds", () => {
    expect(median([1, 2, 4, 9])).toBe(3);
  });
});
