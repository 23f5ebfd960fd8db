// Runs one command: opens the store if it is needed, prints its report or its error, closes the store, and keeps the exit code.
import type { CommandContext, GlobalOptions, Report, RunOptions, StoreAccess } from "./command.ts";
import { resolveConfig } from "./config/resolve-config.ts";
import { createOperator } from "queuert/operator";
import { createClient } from "./connect/client.ts";
import { openStore } from "./connect/open-store.ts";
import { CliReadOnlyError, CliTimeoutError } from "./errors.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "./exit-codes.ts";
import { parseDuration } from "./output/durations.ts";
import { printError } from "./output/print-error.ts";
import { createTerminal, type Streams, type Terminal } from "./terminal.ts";

export interface ProcessPlace {
  readonly cwd: string;
  readonly env: Record<string, string | undefined>;
  readonly streams: Streams;
  readonly signal: AbortSignal;
}

export const runCommand = async (
  place: ProcessPlace,
  globals: GlobalOptions,
  action: (context: CommandContext) => Promise<Report>,
  { isUnbounded = false }: RunOptions,
): Promise<ExitCode> => {
  const { env, streams } = place;
  const terminal = createTerminal(streams, {
    colour: globals.color,
    utc: globals.utc === true,
    env,
  });
  const opened = createAccess(place, globals);
  try {
    const timeoutMs = parseDuration(globals.timeout, "--timeout");
    const context = contextOf(place, globals, terminal, timeoutMs, opened);
    const running = action(context);
    const report = await (isUnbounded
      ? running
      : inTime(running, place.signal, timeoutMs, () => opened.mayHaveWritten));
    await print(terminal, globals, report);
    return endedBy(place.signal) ?? report.exitCode ?? exitCodes.done;
  } catch (error) {
    const ended = endedBy(place.signal);
    if (ended !== undefined) return ended;
    await printError(terminal, globals, error);
    return exitCodeOf(error);
  } finally {
    await opened.close();
  }
};

/** The reason for which a signal of a process aborts, if the reader of the output has gone. */
export const readerGone = "the reader of the output has gone";

const endedBy = ({ aborted, reason }: AbortSignal): ExitCode | undefined => {
  if (!aborted) return undefined;
  return reason === readerGone ? exitCodes.done : exitCodes.interrupted;
};

const contextOf = (
  place: ProcessPlace,
  globals: GlobalOptions,
  terminal: Terminal,
  timeoutMs: number,
  opened: ReturnType<typeof createAccess>,
): CommandContext => ({
  cwd: place.cwd,
  env: place.env,
  terminal,
  globals,
  timeoutMs,
  signal: place.signal,
  access: async ({ writes } = {}) => {
    const access = await opened.open(timeoutMs);
    if (writes === undefined) return access;
    if (access.config.readOnly === true) throw new CliReadOnlyError(writes);
    opened.mayHaveWritten = true;
    return access;
  },
});

const print = async (
  terminal: Terminal,
  { json, jsonl, quiet }: GlobalOptions,
  report: Report,
): Promise<void> => {
  const isForPrograms = json === true || jsonl === true;
  if (jsonl === true && report.isPrinted !== true) {
    const rows = report.rows ?? [report.json];
    await terminal.write(rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  } else if (json === true && report.isPrinted !== true) {
    await terminal.write(`${JSON.stringify(report.json, null, 2)}\n`);
  } else if (quiet !== true && report.lines.length > 0) {
    await terminal.write(`${report.lines.join("\n")}\n`);
  }
  const notes = isForPrograms || quiet === true ? [] : (report.notes ?? []);
  for (const note of notes) await terminal.writeError(`${note}\n`);
};

/** The store of one command: opened at most once, closed at its end. */
const createAccess = (place: ProcessPlace, globals: GlobalOptions) => {
  let opening: Promise<StoreAccess> | undefined;
  const open = async (timeoutMs: number): Promise<StoreAccess> => {
    const config = await resolveConfig(globals, place);
    const store = await openStore(config, timeoutMs);
    const state = once(() => store.openState());
    const client = once(async () =>
      createClient(config, await state(), await store.openNotify(), place.streams.stderr),
    );
    const operator: StoreAccess["operator"] = async ({
      payloads = "redacted",
      examineStep,
    } = {}) => {
      const { redact, redactText, readOnly } = config;
      return createOperator({
        ...{ queuert: await client(), redact, redactText, readOnly, payloads, examineStep },
      });
    };
    return { config, store, state, client, operator };
  };
  return {
    mayHaveWritten: false,
    open: (timeoutMs: number): Promise<StoreAccess> => {
      opening ??= open(timeoutMs);
      return opening;
    },
    close: async (): Promise<void> => {
      // An access that could not be opened has been reported already.
      const access = await opening?.catch(() => undefined);
      // The process ends either way: a close that fails or hangs changes no result.
      await Promise.race([access?.store.close().catch(() => undefined), soon()]);
    },
  };
};

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

const closePatienceMs = 1_000;

const soon = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, closePatienceMs).unref();
  });

const inTime = async <T>(
  running: Promise<T>,
  signal: AbortSignal,
  timeoutMs: number,
  isWrite: () => boolean,
): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new CliTimeoutError(timeoutMs, isWrite())), timeoutMs);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
  try {
    return await Promise.race([running, late]);
  } finally {
    clearTimeout(timer);
  }
};
