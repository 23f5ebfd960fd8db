// A process of the run, as the conductor has it: sends it messages, hits it by its pid, and reads its records.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { ChildConfig, Order, Report } from "../child/protocol.ts";
import { nextVersionEnvironment, nextVersionFlags } from "./next-version.ts";

// Sources run as they are: tsx is a tool of the workspace, not of this package.
const root = fileURLToPath(new URL("../../../../package.json", import.meta.url));
const tsx = pathToFileURL(createRequire(root).resolve("tsx")).href;
/** For a process that runs sources as they are. */
export const sourcesFlags: readonly string[] = [
  ...["--no-warnings", "--conditions=@queuert/source", "--import", tsx],
];
const main = fileURLToPath(new URL("../child/main.ts", import.meta.url));

const readyWithinMs = 60_000;
const closedWithinMs = 30_000;

export class Child {
  readonly config: ChildConfig;
  readonly #process: ChildProcess;
  readonly #patience: number;
  readonly #said = new Map<string, () => void>();
  readonly #hasSaid = new Set<string>();
  #isExpectedToEnd = false;
  #isFrozen = false;
  /** Its exit, if it ended without being asked to. */
  crash: string | null = null;

  /** `patience`: how many times as long as usual it is waited for. */
  constructor(config: ChildConfig, patience: number) {
    this.config = config;
    this.#patience = patience;
    this.#process = fork(main, [JSON.stringify(config)], {
      execArgv: [...sourcesFlags, ...(config.nextVersion === null ? [] : nextVersionFlags)],
      ...(config.nextVersion === null
        ? {}
        : { env: { ...process.env, ...nextVersionEnvironment(config.store, config.nextVersion) } }),
      stdio: ["ignore", "ignore", "pipe", "ipc"],
    });
    let errors = "";
    this.#process.stderr?.on("data", (chunk: Buffer) => (errors += String(chunk)));
    this.#process.on("message", (message) => {
      const { said } = message as Report;
      this.#hasSaid.add(said);
      this.#said.get(said)?.();
    });
    this.#process.on("exit", (code, signal) => {
      if (!this.#isExpectedToEnd) this.crash = `ended with ${code ?? signal}: ${errors}`;
      for (const tell of this.#said.values()) tell();
    });
  }

  get isAlive(): boolean {
    return this.#process.exitCode === null && this.#process.signalCode === null;
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  get isReady(): boolean {
    return this.#hasSaid.has("ready");
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  tell(order: Order): void {
    if (!this.isAlive || !this.#process.connected) return;
    if (order.do === "end") this.#isExpectedToEnd = true;
    this.#process.send(order, () => {
      // It has ended in the meantime.
    });
  }

  /** Whether it said so in time. */
  async hears(said: Report["said"], withinMs: number): Promise<boolean> {
    if (!this.#hasSaid.has(said) && this.isAlive) {
      const spoken = new Promise<void>((resolve) => this.#said.set(said, resolve));
      await Promise.race([spoken, sleep(withinMs * this.#patience, undefined, { ref: false })]);
    }
    return this.#hasSaid.has(said);
  }

  async whenReady(): Promise<void> {
    if (await this.hears("ready", readyWithinMs)) return;
    throw new Error(`${this.config.name} did not start: ${this.crash ?? "it took too long"}`);
  }

  async kill(): Promise<void> {
    this.#isExpectedToEnd = true;
    if (!this.isAlive) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }

  /** Nothing of it moves for so long. */
  async freeze(ms: number): Promise<void> {
    this.#isFrozen = true;
    this.#process.kill("SIGSTOP");
    await sleep(ms);
    this.#process.kill("SIGCONT");
    this.#isFrozen = false;
  }

  /** Returns the reason of its failure, if it failed. */
  async close(): Promise<string | null> {
    if (!this.isAlive) return this.crash;
    this.tell({ do: "close" });
    if (await this.hears("closed", closedWithinMs)) return null;
    if (this.crash !== null) return this.crash;
    await this.kill();
    return "did not close";
  }

  /** After it has closed. Returns the reason of its failure, if it failed. */
  async end(): Promise<string | null> {
    if (!this.isAlive) return null;
    const ended = once(this.#process, "exit");
    this.tell({ do: "end" });
    const isEnded = await Promise.race([
      ended.then(() => true),
      sleep(closedWithinMs * this.#patience, undefined, { ref: false }).then(() => false),
    ]);
    if (isEnded) return this.crash;
    await this.kill();
    return "did not end after closing";
  }
}
