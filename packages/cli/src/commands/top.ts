// The status, drawn again each second on the other screen of the terminal. Keys select a type, and act on it.
import { emitKeypressEvents } from "node:readline";
import { quoteText } from "queuert/operator";
import type { AddCommand, CommandContext, Report } from "../command.ts";
import { CliUsageError } from "../errors.ts";
import { parseDuration } from "../output/durations.ts";
import { safeLine, truncated } from "../output/safe-text.ts";
import { tableLines } from "../output/table.ts";
import { chooseColumns } from "./columns.ts";
import { explanationLines } from "./explain.ts";
import { loadStatus, type Status } from "./status.ts";
import {
  firstView,
  isPaused,
  screenLines,
  selectedOf,
  type View,
  withNextSort,
  withStep,
} from "./top-view.ts";
import { userOf } from "./user-of.ts";
import { pause } from "./watch.ts";

export const addTop: AddCommand = (program, run) => {
  program
    .command("top")
    .description("the status in full screen, drawn again each second; keys act on a job type")
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
  let status = await loadStatus(context);
  let view = firstView;
  let problem: string | null = null;
  const keys = listenToKeys(signal);
  await terminal.write(otherScreen);
  try {
    while (!keys.ended.aborted) {
      await terminal.write(fromTheTop + fitted(context, status, view, problem));
      await pause(intervalMs, keys.nextKey());
      try {
        for (const key of keys.take()) view = await press(context, key, status, view);
        if (!keys.ended.aborted) status = await loadStatus(context);
        problem = null;
      } catch (error) {
        problem = (error as Error).message;
      }
    }
  } finally {
    keys.close();
    await terminal.write(ownScreen);
  }
  return { json: {}, lines: [] };
};

const fitted = (
  { terminal }: CommandContext,
  status: Status,
  view: View,
  problem: string | null,
): string =>
  [
    ...(problem === null ? [] : [`not up to date: ${safeLine(problem)}`]),
    ...screenLines(terminal, status, view),
  ]
    .slice(0, terminal.height - 1)
    // Colours have no width: lines with them have been fitted by the table.
    .map((line) => (line.includes("\u001b") ? line : truncated(line, terminal.width)))
    .join("\n");

/** The view after a key. */
const press = async (
  context: CommandContext,
  key: string,
  status: Status,
  view: View,
): Promise<View> => {
  const typeName = selectedOf(status, view)?.typeName;
  if (typeName === undefined) return view;
  if (view.asks !== null) {
    const asked = { ...view, asks: null };
    return key === "y" ? { ...asked, panel: await change(context, view.asks, typeName) } : asked;
  }
  switch (key) {
    case "s":
      return withNextSort(view);
    case "up":
    case "k":
      return withStep(status, view, -1);
    case "down":
    case "j":
      return withStep(status, view, 1);
    case "e":
      return { ...view, typeName, panel: await explainFirst(context, typeName) };
    case "return":
      return { ...view, typeName, panel: await listFirst(context, typeName) };
    case "p":
      return { ...view, typeName, asks: isPaused(status, typeName) ? "resume" : "pause" };
    default:
      return { ...view, panel: [] };
  }
};

/** The unfinished jobs of a type, the oldest first. */
const openOf = (typeName: string): string => `is:open type:${quoteText(typeName)}`;

const explainFirst = async (context: CommandContext, typeName: string): Promise<string[]> => {
  const operator = await (await context.access()).operator();
  const page = await operator.listJobs({ filter: openOf(typeName), order: "asc", limit: 1 });
  const [first] = page.items;
  if (first === undefined) return [`no job of ${safeLine(typeName)} is unfinished`];
  return explanationLines(context.terminal, await operator.explain({ id: first.id }));
};

const listedMax = 10;

const listFirst = async (context: CommandContext, typeName: string): Promise<string[]> => {
  const { terminal } = context;
  const operator = await (await context.access()).operator();
  const { items } = await operator.listJobs({ filter: openOf(typeName), limit: listedMax });
  if (items.length === 0) return [`no job of ${safeLine(typeName)} is unfinished`];
  const columns = chooseColumns("id,status,attempt,created,why", { now: new Date(), terminal });
  return tableLines(terminal, columns, items);
};

const change = async (
  context: CommandContext,
  action: "pause" | "resume",
  typeName: string,
): Promise<string[]> => {
  const operator = await (await context.access({ writes: action })).operator();
  await operator.control({ action, typeName, user: userOf(context) });
  return [`${action}d ${safeLine(typeName)}`];
};

/** Ends at `q`, Ctrl-C and the signals of the process. */
const listenToKeys = (signal: AbortSignal) => {
  const { stdin } = process;
  const quit = new AbortController();
  const ended = AbortSignal.any([signal, quit.signal]);
  let next = new AbortController();
  let pressed: string[] = [];
  const listener = (_text: unknown, key: { readonly name?: string; readonly ctrl?: boolean }) => {
    if (key.name === "q" || (key.ctrl === true && key.name === "c")) quit.abort();
    pressed.push(key.name ?? "");
    next.abort();
  };
  emitKeypressEvents(stdin);
  stdin.setRawMode(true);
  stdin.on("keypress", listener);
  stdin.resume();
  return {
    ended,
    /** Aborts at the next key, or at once if one was pressed meanwhile. */
    nextKey: (): AbortSignal => AbortSignal.any([ended, next.signal]),
    /** The keys since the last call. */
    take: (): readonly string[] => {
      const taken = pressed;
      pressed = [];
      next = new AbortController();
      return taken;
    },
    close: () => {
      stdin.off("keypress", listener);
      stdin.setRawMode(false);
      stdin.pause();
    },
  };
};
