// A measured process as the harness holds it: commands out, answers and progress back, and no process left behind.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { CommandAnswer, CommandName, CommandOptions, Reply } from "../child/protocol.ts";

export interface MeasuredProcess {
  readonly ask: <TName extends CommandName>(
    name: TName,
    options: CommandOptions<TName>,
  ) => Promise<CommandAnswer<TName>>;
  /** How many handlers have run, as last heard. */
  readonly ran: () => number;
  /** Ends it in good order. */
  readonly close: () => Promise<void>;
  /** Ends it at once. */
  readonly kill: () => void;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

const closeTimeoutMs = 10_000;
// The end of its stderr: enough for the error that ended it.
const complaintLengthMax = 2_000;

// Compiled by `pnpm bench`, so that no process is measured while its code is compiled; the tests
// use the sources.
const isFromSource = process.execArgv.some((flag) => flag.includes("@queuert/source"));
const [path, execArgv] = isFromSource
  ? [fileURLToPath(new URL("../child/main.ts", import.meta.url)), process.execArgv]
  : [fileURLToPath(new URL("../../dist/child/main.js", import.meta.url)), []];

const assertCompiled = (): void => {
  if (!existsSync(path)) throw new Error(`${path} is missing: it is compiled by \`pnpm bench\``);
};

const processes = new Set<ChildProcess>();
process.on("exit", () => {
  for (const child of processes) child.kill("SIGKILL");
});

const exitOf = (child: ChildProcess): string =>
  `the process ended with ${child.signalCode ?? `code ${child.exitCode}`}`;

/** `nodeFlags`: such as `--cpu-prof`. */
export const startMeasuredProcess = (nodeFlags: readonly string[] = []): MeasuredProcess => {
  assertCompiled();
  const child = fork(path, { execArgv: [...execArgv, ...nodeFlags], silent: true });
  processes.add(child);
  const waiting = new Map<number, Waiting>();
  let lastId = 0;
  let ran = 0;
  let complaint = "";

  child.stdout?.resume();
  child.stderr?.on("data", (data: Buffer) => {
    complaint = (complaint + data.toString()).slice(-complaintLengthMax);
  });
  child.on("message", (reply: Reply) => {
    if (reply.kind === "progress") {
      ran = reply.ran;
      return;
    }
    const asked = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.kind === "answer") asked?.resolve(reply.value);
    else asked?.reject(new Error(reply.message));
  });
  child.on("exit", () => {
    processes.delete(child);
    for (const { reject } of waiting.values())
      reject(new Error(`${exitOf(child)}\n${complaint}`.trim()));
    waiting.clear();
  });

  const ask: MeasuredProcess["ask"] = (name, options) =>
    new Promise((resolve, reject) => {
      if (!child.connected) return reject(new Error(`${exitOf(child)}\n${complaint}`.trim()));
      lastId += 1;
      // The answer to a command is of the command's type; the pipe forgets that.
      waiting.set(lastId, { resolve: resolve as (value: unknown) => void, reject });
      child.send({ id: lastId, name, options });
    });
  const kill = (): void => void child.kill("SIGKILL");
  return {
    ask,
    ran: () => ran,
    kill,
    close: async () => {
      if (!processes.has(child)) return;
      const exited = once(child, "exit");
      // A participant that cannot close in time has been measured already: it does not fail for that.
      const timer = setTimeout(kill, closeTimeoutMs);
      ask("close", {}).catch(kill);
      await exited;
      clearTimeout(timer);
    },
  };
};
