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
const sources = [
  "errors.ts",
  "input-errors.ts",
  "schedule-errors.ts",
  "signal-errors.ts",
  "limit-errors.ts",
  "payload-errors.ts",
  "reschedule-error.ts",
].map((name) => readFileSync(new URL(`../src/${name}`, import.meta.url), "utf8"));
const codes = sources.flatMap((text) =>
  [...text.matchAll(/code = "(QUEUERT_\w+)"/g)].map((match) => match[1] ?? ""),
);
const page = readFileSync(new URL("../docs/errors.md", import.meta.url), "utf8");

describe("errors", () => {
  it("are exported, every one of them", () => {
    expect(codes.length).toBeGreaterThan(20);
    expect(classes.length).toBe(codes.length);
  });

  it("have codes of their own", () => {
    expect(new Set(codes).size).toBe(codes.length);
  });

  it("stand on the page of errors with their code", () => {
    const rows = page.split("\n");
    const isListed = (...cells: string[]) =>
      rows.some((row) => cells.every((cell) => row.includes(`| \`${cell}\` `)));
    expect(codes.filter((code) => !isListed(code))).toEqual([]);
    expect(classes.map(({ name }) => name).filter((name) => !isListed(name))).toEqual([]);
  });

  it("name their code as a text, and have the plain sentence as their message", () => {
    const error = new queuert.EmptyWorkerError();
    expect(String(error)).toBe(`EmptyWorkerError [QUEUERT_EMPTY_WORKER]: ${error.message}`);
    expect(error.message).not.toContain("QUEUERT_");
  });
});
