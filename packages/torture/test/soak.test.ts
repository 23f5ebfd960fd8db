// A soak of seconds: nothing is left over, and its measurements become a plot.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { plotSoak } from "../src/soak/plot.ts";
import { percentile, perHour, type Sample } from "../src/soak/sample.ts";
import { soak } from "../src/soak/soak.ts";

const aSample = (atMs: number, heapBytes: number): Sample => ({
  ...{ atMs, started: 1, completed: 1, p50: 1, p95: 2, p99: 3, heapBytes, residentBytes: 9 },
  ...{ connections: null, storedBytes: 5, deadRows: null },
});

describe("soak", () => {
  it("finds the slope of a line", () => {
    const samples = [0, 1, 2, 3].map((minute) => aSample(minute * 60_000, 100 + 2 * minute));
    expect(perHour(samples, ({ heapBytes }) => heapBytes)).toBeCloseTo(120);
    expect(perHour([aSample(0, 1)], ({ heapBytes }) => heapBytes)).toBe(0);
  });

  it("takes percentiles of few and of many", () => {
    const numbers = Array.from({ length: 100 }, (_, index) => index);
    expect([0.5, 0.99, 1].map((share) => percentile(numbers, share))).toEqual([50, 99, 99]);
    expect(percentile([], 0.5)).toBe(0);
  });

  it("plots measurements only", () => {
    const svg = plotSoak("store", [aSample(0, 1), aSample(1_000, 2)]);
    expect(svg).toContain("memory");
    expect(svg).not.toContain("connections");
    expect(svg.match(/<polyline/g)).toHaveLength(6);
  });

  it("completes all that it started", async () => {
    const folder = mkdtempSync(join(tmpdir(), "queuert-soak-"));
    try {
      const hours = 4 / 3_600;
      const given = { store: "sqlite", notify: "none", hours, perSecond: 10, folder } as const;
      const { started, completed } = await soak(given);
      expect(started).toBeGreaterThan(0);
      expect(completed).toBe(started);
      expect(readFileSync(join(folder, "sqlite.svg"), "utf8")).toContain("</svg>");
    } finally {
      rmSync(folder, { recursive: true });
    }
  }, 120_000);
});
