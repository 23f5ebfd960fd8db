// The status, drawn again each second on the other screen of the terminal. `q` ends it.
import { emitKeypressEvents } from "node:readline";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { CliUsageError } from "../errors.ts";
import { parseDuration } from "../output/durations.ts";
import { truncated } from "../output/safe-text.ts";
import { pause } from "./watch.ts";
import { loadStatus, statusLines } from "./status.ts";

export const addTop: AddCommand = (program, run) => {
  program
    .command("top")
    .description("the status in full screen, drawn again each second; q quits")
    .option("--interval <duration>", "the time between two looks", "1s")
    .action(({ interval }: { readonly interval: string }) =>
      run((context) => top(context, interval), { isUnbounded: true }),
    );
};

const otherScreen = "\u001b[?1049h\u001b[?25l";
const ownScreen = "\u001b[?25h\u001b[?1049l";
const fromTheTop = "\u001b[H\u001b[2J";

const top = async (context: CommandContext, interval: string): Promise<Report> => {
  const { terminal, signal } = context;
  const intervalMs = Math.max(250, parseDuration(interval, "--interval"));
  if (!terminal.isInteractive) {
    throw new CliUsageError("`top` needs a terminal. In a script, call `queuert status --json`.");
  }
  // A store that cannot be reached is an error before the first screen, and a line of it later.
  let lines = await look(context);
  const keys = listenToKeys(signal);
  await terminal.write(otherScreen);
  try {
    while (!keys.ended.aborted) {
      await terminal.write(fromTheTop + fitted(context, lines));
      await pause(intervalMs, keys.ended);
      if (!keys.ended.aborted)
        lines = await look(context).catch((error: Error) => stale(lines, error));
    }
  } finally {
    keys.close();
    await terminal.write(ownScreen);
  }
  return { json: {}, lines: [] };
};

const look = async (context: CommandContext): Promise<string[]> => {
  const status = await loadStatus(context);
  return [...statusLines(context.terminal, status), "", "q quits"];
};

const stale = (lines: readonly string[], error: Error): string[] => [
  `not up to date: ${error.message}`,
  ...lines.filter((line) => !line.startsWith("not up to date: ")),
];

const fitted = ({ terminal }: CommandContext, lines: readonly string[]): string =>
  lines
    .slice(0, terminal.height - 1)
    // Colours have no width: lines with them have been fitted by the table.
    .map((line) => (line.includes("\u001b") ? line : truncated(line, terminal.width)))
    .join("\n");

/** Aborts at `q`, Ctrl-C and the signals of the process. */
const listenToKeys = (signal: AbortSignal) => {
  const { stdin } = process;
  const quit = new AbortController();
  const listener = (_text: unknown, key: { readonly name?: string; readonly ctrl?: boolean }) => {
    if (key.name === "q" || (key.ctrl === true && key.name === "c")) quit.abort();
  };
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.on("keypress", listener);
  stdin.resume();
  return {
    ended: AbortSignal.any([signal, quit.signal]),
    close: () => {
      stdin.off("keypress", listener);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
};
