// A look that is repeated: `--watch` of a command, until it ends or is interrupted. A terminal is cleared before each look; in a pipe the looks
// follow each other.
import type { CommandContext, Report } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";

/** Between two looks. */
const intervalMs = 1_000;
const clear = "\u001b[H\u001b[2J";

/** Prints a report each second. Ends with the first one that is the last. */
export const watch = async (
  context: CommandContext,
  look: () => Promise<Report & { readonly isLast?: boolean }>,
): Promise<Report> => {
  const { terminal, globals, signal } = context;
  for (;;) {
    const { isLast = false, ...report } = await look();
    if (isLast) return report;
    await print(context, report);
    await pause(intervalMs, signal);
    if (signal.aborted) return { ...report, lines: [], isPrinted: true, exitCode: exitCodes.done };
    if (terminal.isTty && globals.json !== true && globals.jsonl !== true)
      await terminal.write(clear);
  }
};

const print = async (
  { terminal, globals: { json, jsonl, quiet } }: CommandContext,
  report: Report,
): Promise<void> => {
  if (json === true || jsonl === true) await terminal.write(`${JSON.stringify(report.json)}\n`);
  else if (quiet !== true) await terminal.write(`${report.lines.join("\n")}\n`);
};

/** Resolves after this time, or when the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener("abort", end, { once: true });
  });
