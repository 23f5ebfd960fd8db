import { describe, expect, it } from "vitest";
import { formatDuration, parseDuration } from "../src/output/durations.ts";
import { safeLine, safeLines, truncated, widthOf } from "../src/output/safe-text.ts";
import { tableLines } from "../src/output/table.ts";
import { createProject } from "./project.ts";

describe("a text of a job", () => {
  it.each([
    ["\u001b[2Jgone", "\\u{1b}[2Jgone"],
    ["a\nb\tc\rd", "a\\nb\\tc\\rd"],
    ["\u009b31m", "\\u{9b}31m"],
    ["\0", "\\u{0}"],
    ["user\u202egnp.exe", "user\\u{202e}gnp.exe"],
    ["zero\u200bwidth\ufeff", "zero\\u{200b}width\\u{feff}"],
    ["line\u2028line", "line\\u{2028}line"],
    ["lone \ud83d", "lone \\u{d83d}"],
    ["żółć 漢字 🎉", "żółć 漢字 🎉"],
  ])("%j is printed as %j", (text, printed) => {
    expect(safeLine(text)).toBe(printed);
  });

  it("keeps its line breaks where it may have several lines", () => {
    expect(safeLines("Error: a\r\n    at b\u001b[0m")).toBe("Error: a\n    at b\\u{1b}[0m");
  });

  it("is cut by the columns that it takes", () => {
    expect(widthOf("漢字")).toBe(4);
    expect(widthOf("e\u0301")).toBe(1);
    expect(truncated("漢字漢字", 5)).toBe("漢字…");
    expect(truncated("abc", 3)).toBe("abc");
    expect(truncated("abcd", 3)).toBe("ab…");
    expect(truncated("abcd", 0)).toBe("");
  });
});

describe("a duration", () => {
  it.each([
    ["500ms", 500],
    ["5s", 5_000],
    ["1h30m", 5_400_000],
    ["1.5d", 129_600_000],
    ["2w", 1_209_600_000],
  ])("%s is %i ms", (text, ms) => expect(parseDuration(text, "--in")).toBe(ms));

  it.each(["", "5", "s", "5 s", "-5s", "5s!", "1e3s", "5y"])("%j is refused", (text) => {
    expect(() => parseDuration(text, "--in")).toThrow(/--in is/);
  });

  it("has one unit", () => {
    const printed = [0, 999, 1_500, 59_000, 90_000, 7_200_000, 200_000_000].map(formatDuration);
    expect(printed).toEqual(["0 ms", "999 ms", "1.5 s", "59 s", "2 min", "2 h", "2 d"]);
  });
});

describe("a table", () => {
  const rows = [{ name: "a-name-that-is-long\u001b[31m", count: 12 }];
  const columns = [
    { title: "NAME", cell: ({ name }: (typeof rows)[0]) => name, flexible: true },
    { title: "N", cell: ({ count }: (typeof rows)[0]) => String(count), align: "right" as const },
  ];

  it.each([80, 40, 20, 12])("fits a terminal of %i columns", (width) => {
    const lines = tableLines({ isTty: true, width }, columns, rows);
    expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(width);
    expect(lines[1]).toMatch(/ {2}12$/);
  });

  it("is separated by tabs and not cut in a pipe", () => {
    expect(tableLines({ isTty: false, width: 10 }, columns, rows)).toEqual([
      "NAME\tN",
      "a-name-that-is-long\\u{1b}[31m\t12",
    ]);
  });
});

describe("a hostile job type", () => {
  const typeName = `evil\u001b]0;title\u0007\u202e${"x".repeat(120)}`;

  it("cannot reach the terminal, and fits 80 columns", async () => {
    const project = createProject();
    const run = (...args: string[]) => project.terminal(["--url", "sqlite:app.db", ...args]);
    await run("migrate");
    await run("start", typeName);
    const { stdout, exitCode } = await run("status", "--no-color");
    expect(exitCode).toBe(0);
    // oxlint-disable-next-line no-control-regex -- they must not be there
    expect(stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(stdout).toContain("evil\\u{1b}]0;title\\u{7}\\u{202e}x");
    // Sentences wrap, tables do not.
    const table = stdout.slice(stdout.indexOf("TYPE ")).split("\n");
    expect(table.length).toBeGreaterThan(1);
    expect(Math.max(...table.map(widthOf))).toBeLessThanOrEqual(80);
  });

  it("has colours in a terminal, unless they are switched off", async () => {
    const project = createProject();
    const args = ["--url", "sqlite:app.db", "status"];
    await project.queuert(["--url", "sqlite:app.db", "migrate"]);
    expect((await project.terminal(args)).stdout).toContain("\u001b[1msqlite");
    expect((await project.terminal(args, { env: { NO_COLOR: "1" } })).stdout).toMatch(/^sqlite\n/);
    expect((await project.queuert(args)).stdout).toMatch(/^sqlite\n/);
  });
});
