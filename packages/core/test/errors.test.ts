import { readFileSync } from "node:fs";
import * as queuert from "queuert";
import { QueuertError } from "queuert";
import { describe, expect, it } from "vitest";

const classes = Object.values(queuert).filter(
  (value): value is typeof value & (abstract new (...args: never[]) => QueuertError) =>
    typeof value === "function" &&
    value !== QueuertError &&
    (value as { prototype?: unknown }).prototype instanceof QueuertError,
);
const sources = ["errors.ts", "input-errors.ts", "schedule-errors.ts"].map((name) =>
  readFileSync(new URL(`../src/${name}`, import.meta.url), "utf8"),
);
const codes = sources.flatMap((text) =>
  [...text.matchAll(/code = "(QUEUERT_\w+)"/g)].map((match) => match[1] ?? ""),
);
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");

describe("errors", () => {
  it("are exported, every one of them", () => {
    expect(codes.length).toBeGreaterThan(20);
    expect(classes.length).toBe(codes.length);
  });

  it("have codes of their own", () => {
    expect(new Set(codes).size).toBe(codes.length);
  });

  it("stand in the README with their code", () => {
    expect(codes.filter((code) => !readme.includes(code))).toEqual([]);
    expect(classes.map(({ name }) => name).filter((name) => !readme.includes(name))).toEqual([]);
  });
});
