// The processes of a run: which are alive, and which process replaces which.
import { join } from "node:path";
import type { ChildConfig } from "../child/protocol.ts";
import type { Random } from "../random.ts";
import { withClientName } from "../stores/client-name.ts";
import type { NamedProcess } from "../stores/store.ts";
import { Child } from "./child.ts";

type Common = Omit<
  ChildConfig,
  "name" | "role" | "seed" | "logPath" | "concurrency" | "connectionsMax" | "nextVersion"
>;

const stoppedStartingWithinMs = 60_000;

/** The most jobs that a worker takes at once. */
export const concurrencyMax = 10;

export class Processes {
  readonly all: Child[] = [];
  readonly #common: Common;
  readonly #random: Random;
  readonly #folder: string;
  readonly #patience: number;

  /** `patience`: how many times as long as usual they are waited for. */
  constructor(common: Common, random: Random, folder: string, patience: number) {
    this.#common = common;
    this.#random = random;
    this.#folder = folder;
    this.#patience = patience;
  }

  get logPaths(): readonly string[] {
    return this.all.map(({ config }) => config.logPath);
  }

  async start(
    role: ChildConfig["role"],
    nextVersion: ChildConfig["nextVersion"] = null,
  ): Promise<Child> {
    const name = `${role}${this.all.length}`;
    const { store, storeUrl, notifyUrl } = this.#common;
    const named = withClientName(store, storeUrl, name);
    const config: ChildConfig = {
      ...this.#common,
      ...{ storeUrl: named, notifyUrl: notifyUrl === storeUrl ? named : notifyUrl },
      ...{ name, role, nextVersion, seed: this.#random.below(1_000_000) },
      logPath: join(this.#folder, `${name}.jsonl`),
      concurrency: this.#random.pick([2, 5, concurrencyMax]),
      connectionsMax: this.#random.pick([2, 5, 12]),
    };
    const child = new Child(config, this.#patience);
    this.all.push(child);
    await child.whenReady();
    return child;
  }

  async startAll(counts: Readonly<Record<ChildConfig["role"], number>>): Promise<void> {
    const roles = (["worker", "starter"] as const).flatMap((role) =>
      Array.from({ length: counts[role] }, () => role),
    );
    await Promise.all(roles.map((role) => this.start(role)));
  }

  /** One by its place among those that are alive, have begun, and are under no fault already. */
  pick(place: number): Child | undefined {
    const free = this.all.filter(
      ({ isAlive, isReady, isFrozen }) => isAlive && isReady && !isFrozen,
    );
    return free[place % free.length];
  }

  /** Answers which of the starters did not come to the end of their calls. */
  async stopStarting(): Promise<readonly string[]> {
    const starters = this.all.filter(({ config, isAlive }) => config.role === "starter" && isAlive);
    for (const starter of starters) starter.tell({ do: "stopStarting" });
    const troubles = starters.map(async (starter) =>
      (await starter.hears("stoppedStarting", stoppedStartingWithinMs))
        ? []
        : [`${starter.config.name}: its calls have not all ended`],
    );
    return (await Promise.all(troubles)).flat();
  }

  /** Those too that are gone. */
  get named(): readonly (NamedProcess & { readonly isAlive: boolean })[] {
    return this.all.map(({ config: { name }, pid = 0, isAlive }) => ({ name, pid, isAlive }));
  }

  /** Returns the processes that crashed before, or did not close. */
  close(): Promise<readonly string[]> {
    return this.#troublesOf((child) => child.close());
  }

  /** After that. Returns the processes that did not end by themselves. */
  end(): Promise<readonly string[]> {
    return this.#troublesOf((child) => child.end());
  }

  async #troublesOf(ask: (child: Child) => Promise<string | null>): Promise<readonly string[]> {
    const troubles = await Promise.all(
      this.all.map(async (child) => {
        const trouble = await ask(child);
        return trouble === null ? [] : [`${child.config.name} ${trouble}`];
      }),
    );
    return troubles.flat();
  }

  /** However the run ends: nothing stays behind. */
  async kill(): Promise<void> {
    await Promise.all(this.all.map((child) => child.kill()));
  }
}
