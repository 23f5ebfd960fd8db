// The error of a command, for its reader or for a program.
import type { GlobalOptions } from "../command.ts";
import type { Terminal } from "../terminal.ts";
import { safeLines } from "./safe-text.ts";

/** `code: sentence`, or one document with `--json`. The stack only where the error is not one of ours. */
export const printError = async (
  terminal: Pick<Terminal, "writeError">,
  { json, jsonl }: Pick<GlobalOptions, "json" | "jsonl">,
  error: unknown,
): Promise<void> => {
  const given = Object(error) as ErrorFields;
  const isOurs = typeof given.code === "string" && given.code.startsWith("QUEUERT_");
  const code = isOurs ? String(given.code) : "QUEUERT_CLI_UNEXPECTED";
  const message = typeof given.message === "string" ? given.message : String(error);
  const issues = issueLines(given.issues);
  if (json === true || jsonl === true) {
    const reasons = issues.length === 0 ? {} : { issues };
    await terminal.writeError(`${JSON.stringify({ error: { code, message, ...reasons } })}\n`);
    return;
  }
  const stack = isOurs || typeof given.stack !== "string" ? "" : `\n${safeLines(given.stack)}`;
  const reasons = issues.map((issue) => `\n  ${safeLines(issue)}`).join("");
  await terminal.writeError(`${code}: ${safeLines(message)}${reasons}${stack}\n`);
};

interface ErrorFields {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly stack?: unknown;
  readonly issues?: unknown;
}

/** As Standard Schema describes it. */
interface Issue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
}

const issuesMax = 5;

/** The reasons of a schema: it has refused a payload that was given on the command line. */
const issueLines = (issues: unknown): readonly string[] =>
  (Array.isArray(issues) ? (issues as readonly Issue[]) : [])
    .slice(0, issuesMax)
    .map(({ path = [], message }) => {
      const keys = path.map((part) => String(typeof part === "object" ? part.key : part));
      return [keys.join("."), message].filter((part) => part !== "").join(": ");
    });
