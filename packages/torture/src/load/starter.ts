// The load's other side: an application that starts sequences and acts on them.
import type { Random } from "../random.ts";
import { type Action, actions, doAction } from "./actions.ts";
import { type Plan, randomTree } from "./plan.ts";
import { type LoadSurroundings, type StartedPlan, startPlans } from "./run-plan.ts";

class RolledBackOnPurpose extends Error {}

/** How many of the sequences started last something else is done to. */
const recentMax = 30;

export class Starter {
  readonly #surroundings: LoadSurroundings;
  /** Known to have committed. */
  readonly #recent: StartedPlan[] = [];

  constructor(surroundings: LoadSurroundings) {
    this.#surroundings = surroundings;
  }

  /** Starts a tree or a few at once, and now and then does something to an older one. Never rejects. */
  async step(path: string, random: Random): Promise<void> {
    const count = random.chance(0.1) ? 2 + random.below(4) : 1;
    const plans = Array.from({ length: count }, (_, index) =>
      randomTree(random, count === 1 ? path : `${path}-${index}`),
    );
    const isRolledBack = random.chance(0.1);
    const shared = random.chance(0.5) ? this.#pickRecent(random) : undefined;
    const victim = random.chance(0.35) ? this.#pickRecent(random) : undefined;
    const action: Action = random.pick(actions);
    await this.#start(plans, isRolledBack, shared);
    if (victim === undefined) return;
    try {
      await doAction(action, this.#surroundings, victim);
    } catch (error) {
      this.#surroundings.onError(action, error);
    }
  }

  #pickRecent(random: Random): StartedPlan | undefined {
    return this.#recent[random.below(this.#recent.length)];
  }

  /** Whether it committed is only noted when it is known. */
  async #start(
    plans: readonly Plan[],
    isRolledBack: boolean,
    shared: StartedPlan | undefined,
  ): Promise<void> {
    const surroundings = this.#surroundings;
    const { queuert, note, now, onError } = surroundings;
    const askedAt = now();
    try {
      const started = await queuert.transaction(async (context) => {
        const sequences = await startPlans(surroundings, context, plans, shared ? [shared] : []);
        if (isRolledBack) throw new RolledBackOnPurpose();
        return sequences;
      });
      for (const [index, plan] of plans.entries()) this.#started(plan, started[index], askedAt);
    } catch (error) {
      // Of any other error it is not known whether it came before the commit.
      if (!(error instanceof RolledBackOnPurpose)) return onError("start", error);
      for (const { path } of plans) note({ kind: "rolledBack", at: now(), path });
    }
  }

  #started(
    { path, deduplication }: Plan,
    started: (StartedPlan & { readonly deduplicated: boolean }) | undefined,
    askedAt: number,
  ): void {
    if (started === undefined) throw new Error(`Nothing was answered for ${path}`);
    const { note, now } = this.#surroundings;
    const { deduplicated, id: sequenceId, typeName } = started;
    const common = { at: now(), sequenceId, path };
    if (deduplicated && deduplication !== null) {
      note({ kind: "deduplicated", askedAt, ...deduplication, ...common });
      return;
    }
    note({ kind: "started", ...common });
    this.#recent.push({ id: sequenceId, typeName });
    if (this.#recent.length > recentMax) this.#recent.shift();
  }
}
