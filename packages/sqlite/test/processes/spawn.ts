import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { fileURLToPath, pathToFileURL } from "node:url";
import { onTestFinished } from "vitest";
import { isBun } from "../drivers.ts";

// Sources run as they are: tsx is a tool of the workspace, not of this package.
const root = fileURLToPath(new URL("../../../../package.json", import.meta.url));
const tsx = pathToFileURL(createRequire(root).resolve("tsx")).href;

export interface TestProcess {
  /** Resolves when the process says that it is ready. */
  readonly ready: Promise<void>;
  readonly exited: Promise<number | null>;
  /** At once and without a chance to clean up. */
  kill(): Promise<void>;
}

/** Runs a file of this folder in a process of its own, killed after the test at the latest. */
export const spawnProcess = (file: string, ...parameters: readonly string[]): TestProcess => {
  const path = fileURLToPath(new URL(file, import.meta.url));
  // Bun reads TypeScript by itself.
  const loader = isBun ? [] : ["--no-warnings", "--import", tsx];
  const child: ChildProcess = spawn(
    process.execPath,
    ["--conditions=@queuert/source", ...loader, path, ...parameters],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => (errors += String(chunk)));
  const exited = once(child, "exit").then(([code]) => code as number | null);
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      if (String(chunk).includes("ready")) resolve();
    });
    // Some tests kill a process before it is ready. Only an exit of its own is a failure.
    void exited.then((code) =>
      code === null || code === 0 ? resolve() : reject(new Error(errors)),
    );
  });
  // A test that awaits the exit alone sees its code.
  ready.catch(() => undefined);
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  onTestFinished(kill);
  return { ready, exited, kill };
};
