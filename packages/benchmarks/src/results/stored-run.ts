// Runs whose results are kept in `results.jsonl`, one in each line. RESULTS.md is made of that file and of nothing else.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Facts } from "../report/machine.ts";
import type { Breakdown } from "../report/markdown.ts";
import type { ResultLine } from "../report/result-line.ts";
import { toResultsPage } from "./results-page.ts";

export interface StoredTable {
  readonly case: string;
  readonly lines: readonly Omit<ResultLine, "case">[];
  readonly breakdown?: Breakdown | undefined;
}

export interface StoredRun {
  /** The heading. A run replaces the stored one of the same title. */
  readonly title: string;
  readonly command: string;
  /** The day, such as `2026-11-19`. */
  readonly date: string;
  /** Left out: not known any more. */
  readonly seed?: number | undefined;
  /** A remark of its operator. */
  readonly note?: string | undefined;
  /** The machine, the versions, and the settings of the servers. */
  readonly facts: Facts;
  readonly settings: Readonly<Record<string, string>>;
  readonly tables: readonly StoredTable[];
}

const packageRoot = new URL("../../", import.meta.url);

export const storedRunsFile: string = fileURLToPath(new URL("results.jsonl", packageRoot));
export const resultsPageFile: string = fileURLToPath(new URL("RESULTS.md", packageRoot));

export const readStoredRuns = (file: string = storedRunsFile): readonly StoredRun[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    // This file writes them.
    .map((line) => JSON.parse(line) as StoredRun);

export const replaceRun = (runs: readonly StoredRun[], run: StoredRun): readonly StoredRun[] => {
  const index = runs.findIndex(({ title }) => title === run.title);
  return index === -1 ? [...runs, run] : runs.with(index, run);
};

/** Stores the run, in the place of an earlier one of the same title, and makes the page again. */
export const storeRun = (run: StoredRun): void => {
  const runs = replaceRun(readStoredRuns(), run);
  writeFileSync(storedRunsFile, runs.map((one) => `${JSON.stringify(one)}\n`).join(""));
  writeFileSync(resultsPageFile, toResultsPage(runs));
};
