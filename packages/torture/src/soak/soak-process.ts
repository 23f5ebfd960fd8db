// A process of a soak, as its conductor has it.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { sourcesFlags } from "../conductor/child.ts";
import type { NamedProcess } from "../stores/store.ts";
import type { Measured, SoakConfig, SoakOrder, SoakReport } from "./protocol.ts";

const main = fileURLToPath(new URL("child.ts", import.meta.url));

export class SoakProcess {
  readonly #name: string;
  readonly #process: ChildProcess;
  readonly #ready: Promise<unknown>;

  constructor(config: SoakConfig) {
    this.#name = config.name;
    this.#process = fork(main, [JSON.stringify(config)], {
      execArgv: [...sourcesFlags, "--expose-gc"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
    });
    this.#ready = this.#hears("ready");
  }

  get named(): NamedProcess {
    return { name: this.#name, pid: this.#process.pid ?? 0 };
  }

  async whenReady(): Promise<void> {
    await this.#ready;
  }

  async measure(): Promise<Measured> {
    return (await this.#ask("measure", "measured")) as Measured;
  }

  async stopStarting(): Promise<void> {
    await this.#ask("stopStarting", "stopped");
  }

  async close(): Promise<void> {
    await this.#ask("close", "closed");
  }

  /** Of one that has ended already: nothing. */
  async kill(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGKILL");
    await ended;
  }

  #ask(what: SoakOrder["do"], answer: SoakReport["said"]): Promise<SoakReport> {
    const heard = this.#hears(answer);
    this.#process.send({ do: what } satisfies SoakOrder);
    return heard;
  }

  #hears(said: SoakReport["said"]): Promise<SoakReport> {
    return new Promise((resolve, reject) => {
      const hear = (message: unknown): void => {
        const report = message as SoakReport;
        if (report.said !== said) return;
        this.#process.off("message", hear);
        this.#process.off("exit", fail);
        resolve(report);
      };
      const fail = (code: number | null): void =>
        reject(new Error(`${this.#name} ended with ${code} and did not say ${said}`));
      this.#process.on("message", hear);
      this.#process.once("exit", fail);
    });
  }
}
