import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const startedAt = performance.now();
const isColoured = process.stdout.isTTY && process.env["NO_COLOR"] === undefined;
const paint = (code: number, text: string): string =>
  isColoured ? `\u001B[${code}m${text}\u001B[0m` : text;

/** One line of progress, with the seconds since the start. */
export const say = (text: string, code = 0): void => {
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1).padStart(5);
  console.log(`${paint(2, `${seconds}s`)}  ${code === 0 ? text : paint(code, text)}`);
};

export const bold = 1;
export const red = 31;
export const green = 32;
export const yellow = 33;

/** Starts a worker as a process of its own; its output is shown as it comes. */
export const startWorkerProcess = (filename: string, workerId: string): ChildProcess => {
  const path = fileURLToPath(new URL("./worker.ts", import.meta.url));
  const child = spawn(process.execPath, [...process.execArgv, path, filename, workerId], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  createInterface({ input: child.stdout }).on("line", (line) => say(line));
  return child;
};

/** Ends a worker process in good order. */
export const stopWorkerProcess = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  await exited;
};
