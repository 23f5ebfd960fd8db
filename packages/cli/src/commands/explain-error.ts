import type { AddCommand, Report } from "../command.ts";
import { type ErrorEntry, readErrorPage } from "../error-page.ts";
import { CliNotFoundError } from "../errors.ts";

export const addExplainError: AddCommand = (program, run) => {
  program
    .command("explain-error")
    .description("the reason and the remedy of an error, by its code; it opens no store")
    .argument("<code>", "such as QUEUERT_JOB_NOT_FOUND")
    .action((code: string) => run(async () => explainError(code)));
};

const explainError = (given: string): Report => {
  const entries = readErrorPage();
  const code = given.toUpperCase();
  const entry = entries.find((each) => each.code === code || `QUEUERT_${code}` === each.code);
  if (entry === undefined) throw new CliNotFoundError(unknownCode(given, entries));
  return { json: entry, lines: linesOf(entry) };
};

const linesOf = ({ code, className, from, when, remedy }: ErrorEntry): string[] => [
  className === null ? `${code} of ${from}` : `${code}: ${className} of ${from}`,
  when,
  `Remedy: ${remedy}`,
];

/** The codes that share a word with it. */
const unknownCode = (given: string, entries: readonly ErrorEntry[]): string => {
  const words = given
    .toUpperCase()
    .split("_")
    .filter((word) => word.length > 2);
  const near = entries
    .map(({ code }) => ({ code, shared: words.filter((word) => code.includes(word)).length }))
    .filter(({ shared }) => shared > 1)
    .sort((a, b) => b.shared - a.shared)
    .slice(0, 3)
    .map(({ code }) => code);
  return `No error of Queuert has the code ${given}.${near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`}`;
};
