// A project as a user has it: packages in `node_modules`, built from the sources, and the real program run in it.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { installedPackages } from "./installed-packages.ts";

export interface Result {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunSettings {
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  /** The test writes to the input itself, and ends it. */
  readonly keepsInput?: boolean;
}

export interface TerminalSettings extends RunSettings {
  readonly columns?: number;
  readonly rows?: number;
}

export interface Project {
  readonly folder: string;
  write(name: string, text: string): void;
  /** `npx queuert …` in the project. */
  queuert(args: readonly string[], settings?: RunSettings): Promise<Result>;
  /** The same in a terminal of so many columns, by `script` of util-linux. */
  terminal(args: readonly string[], settings?: TerminalSettings): Promise<Result>;
  /** The same, still running, with keys that are pressed. */
  inTerminal(args: readonly string[], settings?: TerminalSettings): OpenTerminal;
  /** The same, still running. */
  start(args: readonly string[], settings?: RunSettings): Running;
}

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Result>;
  output(): string;
}

export interface OpenTerminal {
  press(keys: string): void;
  /** Resolves when the output since the last call has this. */
  screen(expected: string | RegExp): Promise<void>;
}

export const createProject = (): Project => {
  const folder = mkdtempSync(join(tmpdir(), "queuert-cli-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(installedPackages(), join(folder, "node_modules"));
  const write = (name: string, text: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write("package.json", JSON.stringify({ private: true, type: "module" }));
  // Configs above the project must not be found.
  mkdirSync(join(folder, ".git"));
  return {
    folder,
    write,
    start: (args, settings) => startIn(folder, programOf(folder, args), settings),
    queuert: (args, settings) => startIn(folder, programOf(folder, args), settings).ended,
    terminal: (args, settings) => inTerminal(folder, args, settings),
    inTerminal: (args, settings) => openTerminal(folder, args, settings),
  };
};

const programOf = (folder: string, args: readonly string[]): readonly string[] => [
  process.execPath,
  join(folder, "node_modules/queuert/bin/queuert.mjs"),
  ...args,
];

const shellWord = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

const terminalOf = (
  folder: string,
  args: readonly string[],
  { columns = 80, rows = 24 }: TerminalSettings,
): readonly string[] => {
  const command = programOf(folder, args).map(shellWord).join(" ");
  const sized = `stty cols ${columns} rows ${rows}; exec ${command}`;
  return ["script", "--quiet", "--return", "--command", sized, "/dev/null"];
};

const openTerminal = (
  folder: string,
  args: readonly string[],
  settings: TerminalSettings = {},
): OpenTerminal => {
  const program = terminalOf(folder, args, settings);
  const { child, output } = startIn(folder, program, { ...settings, keepsInput: true });
  let seen = 0;
  return {
    press: (keys) => void child.stdin?.write(keys),
    screen: async (expected) => {
      await expect
        .poll(() => output().slice(seen), { timeout: 20_000 })
        .toSatisfy((text: string) =>
          typeof expected === "string" ? text.includes(expected) : expected.test(text),
        );
      seen = output().length;
    },
  };
};

const inTerminal = async (
  folder: string,
  args: readonly string[],
  settings: TerminalSettings = {},
): Promise<Result> => {
  const program = terminalOf(folder, args, settings);
  const result = await startIn(folder, program, settings).ended;
  return { ...result, stdout: result.stdout.replaceAll("\r\n", "\n") };
};

const startIn = (
  folder: string,
  [command = "", ...args]: readonly string[],
  { env = {}, stdin, keepsInput = false }: RunSettings = {},
): Running => {
  const { PATH, HOME } = process.env;
  const child = spawn(command, args, {
    cwd: folder,
    env: { PATH, HOME, TZ: "UTC", ...env },
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  // A program that has ended before it reads its input closes the pipe.
  child.stdin.on("error", () => undefined);
  if (!keepsInput) child.stdin.end(stdin ?? "");
  const ended = new Promise<Result>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (exitCode) => resolve({ exitCode, stdout, stderr }));
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return { child, ended, output: () => stdout };
};
