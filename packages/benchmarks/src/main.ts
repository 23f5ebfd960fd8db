// The benchmarks' command line: see README.md.
import { readFileSync } from "node:fs";
import { parseArguments, usage, UsageError } from "./cli/arguments.ts";
import { run } from "./cli/run.ts";
import { compare, toComparison } from "./report/compare.ts";
import { parseResultLines } from "./report/result-line.ts";

const print = (text: string): void => console.log(text);
// Progress goes to stderr, so that the report can be redirected.
const say = (text: string): void => console.error(text);

const read = (file: string) => parseResultLines(readFileSync(file, "utf8"), file);

const main = async (): Promise<void> => {
  const args = parseArguments(process.argv.slice(2));
  if (args.kind === "run") {
    await run(args, print, say);
    return;
  }
  const differences = compare(read(args.before), read(args.after));
  print(toComparison(differences));
  // For a script that asks whether anything became worse.
  if (differences.some(({ verdict }) => verdict === "worse" || verdict === "broken"))
    process.exitCode = 1;
};

try {
  await main();
} catch (error) {
  if (!(error instanceof UsageError)) throw error;
  console.error(`${error.message}\n\n${usage}`);
  process.exitCode = 2;
}
