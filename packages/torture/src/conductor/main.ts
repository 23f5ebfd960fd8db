import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { NotifyName } from "../notify/transport.ts";
import { notifyNamesFor } from "../notify/index.ts";
import { storeNames } from "../stores/index.ts";
import type { StoreName } from "../stores/store.ts";
import { type Setup, setupsFor } from "./fault-plan.ts";
import { type RunSummary, summarize, toTables } from "./report.ts";
import { run, type RunOptions, type RunResult } from "./run.ts";
import { shrink } from "../shrink.ts";

const shrinkingRunsMax = 10;

const describe = ({ violations, errors }: RunResult): void => {
  for (const { rule, detail } of violations.slice(0, 20)) console.log(`  ${rule}: ${detail}`);
  if (violations.length === 0) return;
  const counts = new Map<string, number>();
  for (const { doing, error } of errors) {
    const line = `${doing}: ${error.split("\n")[0]}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  for (const [line, count] of [...counts].slice(0, 20))
    console.log(`  told ${count} times: ${line}`);
};

// JSON has no number for an event that never happened.
const toLine = (summary: RunSummary): string =>
  JSON.stringify(summary, (_key, value: unknown) =>
    value === Number.POSITIVE_INFINITY ? String(value) : value,
  );

const fromLine = (line: string): RunSummary => {
  const summary = JSON.parse(line) as RunSummary;
  return { ...summary, quietAfterMs: Number(summary.quietAfterMs) };
};

/** The tables of all the runs that a file has a line about. */
export const printTables = (summaries: string): void => {
  const lines = readFileSync(summaries, "utf8").split("\n").filter(Boolean);
  console.log(toTables(lines.map(fromLine)).join("\n"));
};

/** Answers whether the run found nothing. */
export const runConducted = async (given: {
  readonly store: string;
  readonly notify: string;
  readonly setup: string;
  readonly seed: number;
  readonly minutes: number;
  readonly pauseMs: number | undefined;
  readonly isShrinking: boolean;
  /** A file to which a line about the run is added. */
  readonly summaries: string | undefined;
}): Promise<boolean> => {
  if (!storeNames.includes(given.store)) throw new Error(`Stores: ${storeNames.join(", ")}`);
  const notifyNames = notifyNamesFor(given.store as StoreName);
  if (!notifyNames.includes(given.notify)) throw new Error(`Notify: ${notifyNames.join(", ")}`);
  const setups: readonly string[] = setupsFor[given.store as StoreName];
  if (!setups.includes(given.setup)) throw new Error(`Setups: ${setups.join(", ")}`);
  const options: RunOptions = {
    // As checked above.
    store: given.store as StoreName,
    notify: given.notify as NotifyName,
    setup: given.setup as Setup,
    seed: given.seed,
    loadMs: given.minutes * 60_000,
    ...(given.pauseMs === undefined ? {} : { pauseMs: given.pauseMs }),
  };
  const result = await run(options);
  const summary = summarize(options, result);
  if (given.summaries !== undefined) appendFileSync(given.summaries, `${toLine(summary)}\n`);
  console.log(toTables([summary]).join("\n"));
  describe(result);
  if (result.violations.length === 0) return true;
  const path = join(tmpdir(), `queuert-torture-${given.store}-${given.seed}-${process.pid}.json`);
  writeFileSync(path, JSON.stringify(result, null, 1));
  console.log(`The whole history is in ${path}`);
  if (given.isShrinking) {
    const fails = async (faults: RunOptions["faults"] = []): Promise<boolean> =>
      (await run({ ...options, faults })).violations.length > 0;
    const faults = await shrink(result.planned, fails, shrinkingRunsMax);
    console.log(`The fewest faults that still failed: ${JSON.stringify(faults, null, 1)}`);
  }
  return false;
};
