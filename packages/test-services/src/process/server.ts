// One server process: start, stop, and the ways it can fail in a test. Everything is done to the
// pid we started and to its children, never by name.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import type { Folder } from "./folder.ts";
import { childrenOf, isAlive, signal } from "./process-tree.ts";

export type ServerControl = {
  /** Starts it again on the same port with the same data, and waits until it answers. */
  readonly start: () => Promise<void>;
  /** Asks it to stop and waits for it. Its data stays for `start`. */
  readonly stop: () => Promise<void>;
  readonly restart: () => Promise<void>;
  /** SIGKILL, as in a crash. */
  readonly kill: () => Promise<void>;
  /** SIGSTOP: connections stay open, nothing answers. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** The server's own processes, for tools that act on them. */
  readonly pids: () => readonly number[];
  /**
   * Stops it, copies its data, and starts it again. The answer brings that copy back, as after a restore of a backup: it kills
   * the server, and starts it on the copied data.
   */
  readonly backUp: () => Promise<() => Promise<void>>;
  /** Stops it and removes its data. Happens by itself when this process ends. */
  readonly close: () => Promise<void>;
  readonly logPath: string;
};

type ServerOptions = {
  readonly name: string;
  readonly folder: Folder;
  /** The path of its data. Left out for a server that has none to copy. */
  readonly data?: string;
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly stopSignal: NodeJS.Signals;
  /** Resolves when the server answers; may reject as long as it does not. */
  readonly ping: () => Promise<unknown>;
};

const execute = promisify(execFile);

const startTimeoutMs = 30_000;
const stopTimeoutMs = 10_000;
const pollMs = 20;

const hasExited = (child: ChildProcess): boolean =>
  child.exitCode !== null || child.signalCode !== null;

const waitForExit = async (child: ChildProcess, timeoutMs: number): Promise<boolean> => {
  const deadline = Date.now() + timeoutMs;
  while (!hasExited(child) && Date.now() < deadline) await sleep(pollMs);
  return hasExited(child);
};

const lastLines = (path: string): string =>
  readFileSync(path, "utf8").split("\n").slice(-15).join("\n");

const launch = ({ folder, command, environment }: ServerOptions): ChildProcess => {
  const [file = "", ...args] = command;
  const log = openSync(folder.logPath, "a");
  // Its own process group: Ctrl-C in a terminal is for the tests, which then stop it themselves.
  const child = spawn(file, args, {
    cwd: "/",
    detached: true,
    stdio: ["ignore", log, log],
    env: { ...process.env, ...environment },
  });
  closeSync(log);
  child.unref();
  if (child.pid !== undefined) writeFileSync(folder.pidPath, String(child.pid));
  return child;
};

const waitUntilReady = async (options: ServerOptions, child: ChildProcess): Promise<void> => {
  const deadline = Date.now() + startTimeoutMs;
  let lastError: unknown;
  child.once("error", (error) => (lastError = error));
  while (Date.now() < deadline) {
    if (hasExited(child) || child.pid === undefined) break;
    try {
      await options.ping();
      return;
    } catch (error) {
      lastError = error;
    }
    await sleep(pollMs);
  }
  const log = lastLines(options.folder.logPath);
  if (child.pid !== undefined) signal(child.pid, "SIGKILL");
  throw new Error(`${options.name} did not start; the end of its log:\n${log}`, {
    cause: lastError,
  });
};

/** With owners and modes. */
const copyFolder = async (from: string, to: string): Promise<void> => {
  await rm(to, { recursive: true, force: true });
  await execute("cp", ["-a", from, to]);
};

const backUp = async (
  { name, folder, data }: ServerOptions,
  { start, stop, kill }: Pick<ServerControl, "start" | "stop" | "kill">,
): Promise<() => Promise<void>> => {
  if (data === undefined) throw new Error(`${name} has no data to copy`);
  const copy = join(folder.path, "backup");
  await stop();
  await copyFolder(data, copy);
  await start();
  return async () => {
    await kill();
    await copyFolder(copy, data);
    await start();
  };
};

export const createServer = (options: ServerOptions): ServerControl => {
  const { name, folder, stopSignal } = options;
  let child: ChildProcess | undefined;

  const runningPid = (): number => {
    if (child?.pid === undefined || hasExited(child)) throw new Error(`${name} is not running`);
    return child.pid;
  };
  const forget = (): void => {
    child = undefined;
    rmSync(folder.pidPath, { force: true });
  };

  const start = async (): Promise<void> => {
    if (child && !hasExited(child)) throw new Error(`${name} is already running`);
    child = launch(options);
    await waitUntilReady(options, child);
  };
  const resume = (): void => {
    const pid = runningPid();
    for (const each of [...childrenOf(pid), pid]) signal(each, "SIGCONT");
  };
  const pause = (): void => {
    const pid = runningPid();
    // The parent first: it must not start new children meanwhile.
    signal(pid, "SIGSTOP");
    for (const each of childrenOf(pid)) signal(each, "SIGSTOP");
  };
  const kill = async (): Promise<void> => {
    const pid = runningPid();
    const children = childrenOf(pid);
    signal(pid, "SIGKILL");
    for (const each of children) signal(each, "SIGCONT");
    if (child) await waitForExit(child, stopTimeoutMs);
    // PostgreSQL's children end by themselves when they miss their parent.
    const deadline = Date.now() + stopTimeoutMs;
    while (children.some(isAlive) && Date.now() < deadline) await sleep(pollMs);
    forget();
  };
  const stop = async (): Promise<void> => {
    if (!child || hasExited(child)) return forget();
    resume();
    signal(runningPid(), stopSignal);
    if (!(await waitForExit(child, stopTimeoutMs))) await kill();
    forget();
  };
  return {
    start,
    stop,
    restart: async () => {
      await stop();
      await start();
    },
    kill,
    pause,
    resume,
    pids: () => [runningPid(), ...childrenOf(runningPid())],
    backUp: () => backUp(options, { start, stop, kill }),
    close: async () => {
      await stop();
      folder.remove();
    },
    logPath: folder.logPath,
  };
};

/** For a server given by address: it belongs to the user, so a test may not stop it. */
export const foreignServer = (name: string): ServerControl => {
  const refuse = (): never => {
    throw new Error(`This ${name} came from the environment: pass exclusive: true for one to harm`);
  };
  const refuseLater = (): Promise<never> => Promise.resolve().then(refuse);
  return {
    start: refuseLater,
    stop: refuseLater,
    restart: refuseLater,
    kill: refuseLater,
    pause: refuse,
    resume: refuse,
    pids: refuse,
    backUp: refuseLater,
    close: () => Promise.resolve(),
    logPath: "",
  };
};
