// RESULTS.md has no figure that no run has stored.
import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { toResultsPage } from "../src/results/results-page.ts";
import {
  readStoredRuns,
  replaceRun,
  resultsPageFile,
  type StoredRun,
} from "../src/results/stored-run.ts";

const runs = readStoredRuns();

it("RESULTS.md is the page of the stored runs", () => {
  const page = toResultsPage(runs);
  if (process.env["UPDATE_SNAPSHOT"] === "1") writeFileSync(resultsPageFile, page);
  expect(readFileSync(resultsPageFile, "utf8")).toBe(page);
});

const run = (title: string, others: Partial<StoredRun> = {}): StoredRun => ({
  ...{ title, command: "pnpm bench", date: "2026-11-20", seed: 1 },
  facts: { Node: "v24" },
  settings: { floor: "none" },
  tables: [],
  ...others,
});

it("a run replaces the stored one of its title, and others keep their place", () => {
  const [a, b, again] = [run("a"), run("b"), run("a", { seed: 2 })];
  expect(replaceRun([a, b], again)).toEqual([again, b]);
  expect(replaceRun([b], a)).toEqual([b, a]);
});

it("the page names the facts of an older run that differ from the newest", () => {
  const older = run("older", { date: "2026-11-19", facts: { Node: "v22" } });
  const [head = "", ...sections] = toResultsPage([older, run("newer")]).split("\n## ");
  expect(head).toContain("- Node: v24");
  expect(sections.map((section) => section.includes("- Node: v22"))).toEqual([true, false, false]);
});
