// The load's third side: an operator, and other applications. It limits, pauses, cancels, sends signals and starts again and
// again with the same keys.
import type { Setting } from "../checker/control-history.ts";
import type { Random } from "../random.ts";
import { Errands } from "./errands.ts";
import type { LoadSurroundings } from "./run-plan.ts";

const controls = ["limit", "pause", "expect", "send", "debounce", "update"] as const;
type Control = (typeof controls)[number];

const typeNames = ["step", "gather"] as const;
const recentMax = 8;

export class Controls {
  readonly #surroundings: LoadSurroundings;
  readonly #random: Random;
  readonly #errands: Errands;
  #count = 0;
  /** Keys that were expected and not sent. */
  readonly #expected: string[] = [];
  readonly #debounced: string[] = [];

  constructor(surroundings: LoadSurroundings, random: Random) {
    this.#surroundings = surroundings;
    this.#random = random;
    this.#errands = new Errands(surroundings, random);
  }

  /** Does one thing, drawn at random. Never rejects. */
  async step(): Promise<void> {
    if (this.#random.chance(0.5)) return this.#errands.step();
    const control = this.#random.pick(controls);
    try {
      await this.#all[control]();
    } catch (error) {
      this.#surroundings.onError(control, error);
    }
  }

  readonly #all: Readonly<Record<Control, () => Promise<void>>> = {
    limit: () => this.#limit(),
    pause: () => this.#pause(),
    expect: () => this.#expect(),
    send: () => this.#send(),
    debounce: () => this.#debounce(),
    update: () => this.#update(),
  };

  #name(what: string): string {
    return `${this.#surroundings.processName}-${what}${this.#count++}`;
  }

  /** Notes the call before it begins, and again if it has succeeded. */
  async #set(
    typeName: string,
    value: Setting["value"],
    call: () => Promise<unknown>,
  ): Promise<void> {
    const { note, now } = this.#surroundings;
    const name = this.#name("set");
    note({ kind: "setting", at: now(), call: name, typeName, value });
    await call();
    note({ kind: "set", at: now(), call: name });
  }

  async #limit(): Promise<void> {
    const random = this.#random;
    const name = random.pick(typeNames);
    const hasRate = random.chance(0.3);
    const concurrency = random.chance(0.8) ? 1 + random.below(4) : null;
    const rate = { count: 5 + random.below(20), perMs: 1_000, burst: 1 + random.below(4) };
    const bounds = { concurrency, rate: hasRate ? rate : null };
    await this.#set(name, { bounds }, () =>
      this.#surroundings.queuert.setLimits({ limits: [{ name, ...bounds }] }),
    );
  }

  async #pause(): Promise<void> {
    const { queuert } = this.#surroundings;
    const isEverything = this.#random.chance(0.3);
    const typeName = this.#random.pick(typeNames);
    const scope = isEverything ? ({ everything: true } as const) : { jobTypes: [typeName] };
    const isPaused = this.#random.chance(0.6);
    // It ends by itself, in case that its end is never asked for.
    const forMs = 200 + this.#random.below(2_000);
    await this.#set(isEverything ? "*" : typeName, { pause: { isPaused, forMs } }, () =>
      isPaused ? queuert.pause({ ...scope, forMs }) : queuert.resume(scope),
    );
  }

  /** Starts a job that waits for a signal: one that was sent already, or one that is not sent yet. */
  async #expect(): Promise<void> {
    const { queuert } = this.#surroundings;
    const key = this.#expectedOrNew();
    const waitAtMostMs = this.#random.chance(0.5) ? 100 + this.#random.below(3_000) : null;
    await queuert.transaction((context) =>
      queuert.startJobSequence({
        ...context,
        ...{ typeName: "waiter", input: { key, waitAtMostMs } },
        ...(waitAtMostMs === null ? {} : { waitAtMostMs }),
        startBlockers: async () => [
          await queuert.expectSignal({ ...context, typeName: "approval", key }),
        ],
      }),
    );
  }

  #expectedOrNew(): string {
    const isKnown = this.#random.chance(0.6);
    const known = this.#expected[this.#random.below(this.#expected.length)];
    if (isKnown && known !== undefined) return known;
    const key = this.#name("signal");
    this.#expected.push(key);
    if (this.#expected.length > recentMax) this.#expected.shift();
    return key;
  }

  async #send(): Promise<void> {
    const { queuert, note, now } = this.#surroundings;
    const [key, payload] = [this.#expectedOrNew(), this.#name("payload")];
    const signals = [{ typeName: "approval", key, payload }] as const;
    const [sent] = await queuert.sendSignals({ autocommit: true, signals });
    if (sent === undefined) throw new Error(`Nothing was answered for ${key}`);
    const { id: sequenceId, sent: isFirst } = sent;
    note({ kind: "sent", at: now(), sequenceId, payload, isFirst });
  }

  async #debounce(): Promise<void> {
    const { queuert, note, now } = this.#surroundings;
    const random = this.#random;
    const text = this.#name("text");
    const maxWaitMs = random.chance(0.5) ? 500 : null;
    const key = `${maxWaitMs === null ? "endless" : "bounded"}-${random.below(2)}`;
    const askedAt = now();
    const { id } = await queuert.transaction((context) =>
      queuert.startJobSequence({
        ...{ ...context, typeName: "debounced", input: { text, maxWaitMs } },
        schedule: { afterMs: random.below(maxWaitMs ?? 500) },
        deduplication: {
          ...{ key, strategy: "pending", replaces: ["input", "schedule"] },
          ...(maxWaitMs === null ? {} : { maxWaitMs }),
        },
      }),
    );
    note({ kind: "overwritten", at: now(), jobId: id, askedAt, text, isRefused: false });
    this.#debounced.push(id);
    if (this.#debounced.length > recentMax) this.#debounced.shift();
  }

  async #update(): Promise<void> {
    const { queuert, note, now } = this.#surroundings;
    const id = this.#debounced[this.#random.below(this.#debounced.length)];
    if (id === undefined) return;
    const text = this.#name("text");
    const askedAt = now();
    const input = { text, maxWaitMs: null };
    const [result] = await queuert.updateJobs({ jobs: [{ id, typeName: "debounced", input }] });
    if (result === undefined) throw new Error(`Nothing was answered for ${id}`);
    note({ kind: "overwritten", at: now(), jobId: id, askedAt, text, isRefused: !result.updated });
  }
}
