// The harness as its users run it: the command, in a process of its own.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { parseResultLines, type ResultLine } from "../src/report/result-line.ts";

const tsx = fileURLToPath(import.meta.resolve("tsx/cli"));
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));

export interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export const bench = (args: readonly string[]): Promise<Outcome> =>
  new Promise((resolve) => {
    const all = [tsx, "--conditions=@queuert/source", main, ...args];
    execFile(process.execPath, all, (error, stdout, stderr) => {
      const code = typeof error?.code === "number" ? error.code : error === null ? 0 : 1;
      resolve({ code, stdout, stderr });
    });
  });

const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "queuert-benchmarks-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** A run of one round with a few hundred jobs. */
export const tinyRun = async (
  cases: readonly string[],
  participants: readonly string[],
): Promise<Outcome & { readonly lines: readonly ResultLine[] }> => {
  const file = join(temporaryFolder(), "results.jsonl");
  const outcome = await bench([
    ...["--quick", "--rounds", "1", "--jobs", "300", "--seed", "7", "--json", file],
    ...cases.flatMap((name) => ["--case", name]),
    ...participants.flatMap((name) => ["--participant", name]),
  ]);
  if (outcome.code !== 0) throw new Error(outcome.stderr);
  return { ...outcome, lines: parseResultLines(readFileSync(file, "utf8"), file) };
};

export const writeLines = (lines: readonly object[]): string => {
  const file = join(temporaryFolder(), "lines.jsonl");
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  return file;
};
