// Starts errands: a few, or many of one key at once, in batches, and with the same id again and again. Sets bounds of keys, and
// pauses keys, while workers run.
import type { Setting } from "../checker/control-history.ts";
import type { Random } from "../random.ts";
import { type Errand, errandKeys, keyedTypeNames, tenants } from "./errand-types.ts";
import { farAheadMs } from "./plan.ts";
import { Plans } from "./plans.ts";
import type { LoadSurroundings } from "./run-plan.ts";

const errandControls = [
  ...(["start", "burst", "bulk", "bulk", "limit", "ofKey", "pauseKey", "give", "plan"] as const),
] as const;
export type ErrandControl = (typeof errandControls)[number];

const rolledBack = new Error("rolled back on purpose");

interface StartedErrand {
  readonly typeName: string;
  readonly input: Errand;
  readonly schedule?: { readonly afterMs: number };
}

export class Errands {
  readonly #surroundings: LoadSurroundings;
  readonly #random: Random;
  readonly #plans: Plans;
  #count = 0;
  #hasLimit = false;

  constructor(surroundings: LoadSurroundings, random: Random) {
    this.#surroundings = surroundings;
    this.#random = random;
    this.#plans = new Plans(surroundings, random);
  }

  /** Does one thing, drawn at random. */
  async step(): Promise<void> {
    const control = this.#random.pick(errandControls);
    try {
      await this.#all[control]();
    } catch (error) {
      this.#surroundings.onError(control, error);
    }
  }

  readonly #all: Readonly<Record<ErrandControl, () => Promise<void>>> = {
    start: () => this.#start(),
    burst: () => this.#burst(),
    bulk: () => this.#bulk(),
    limit: () => this.#limit(),
    ofKey: () => this.#ofKey(),
    pauseKey: () => this.#pauseKey(),
    give: () => this.#give(),
    plan: () => this.#plan(),
  };

  #name(what: string): string {
    return `${this.#surroundings.processName}-${what}${this.#count++}`;
  }

  #draw(override: Partial<Errand> = {}): Errand {
    const random = this.#random;
    return {
      ...{ name: this.#name("errand"), key: random.pick(errandKeys) },
      cost: random.chance(0.2) ? 2 : 1,
      workMs: random.chance(0.2) ? random.below(700) : random.below(30),
      failTimes: random.chance(0.15) ? 1 : 0,
      writesRow: random.chance(0.4),
      ...{ reschedules: 0, next: null },
      ...override,
    };
  }

  /** Starts them in one call, which commits. Answers their ids. */
  async #startAll(errands: readonly StartedErrand[]): Promise<readonly string[]> {
    const { queuert, note, now } = this.#surroundings;
    const started = await queuert.startJobSequences({
      autocommit: true,
      // Of two types with one shape, drawn at run time.
      sequences: errands as never,
    });
    const ids = (started as readonly { readonly id: string }[]).map(({ id }) => id);
    note({ kind: "errandsStarted", at: now(), ids });
    return ids;
  }

  async #start(): Promise<void> {
    const random = this.#random;
    const errands = Array.from({ length: 1 + random.below(3) }, () => ({
      typeName: random.pick(keyedTypeNames),
      input: this.#draw(),
      ...(random.chance(0.2) ? { schedule: { afterMs: random.below(1_000) } } : {}),
    }));
    await this.#startAll(errands);
  }

  /** A key with many jobs, and then others with one each. */
  async #burst(): Promise<void> {
    const random = this.#random;
    const quick = { workMs: 5, failTimes: 0 };
    const typeName = random.pick(keyedTypeNames);
    const noisy = Array.from({ length: 15 }, () => ({
      typeName,
      input: this.#draw({ ...quick, key: "noisy", cost: 1 }),
    }));
    await this.#startAll(noisy);
    await this.#startAll(
      errandKeys
        .filter((key) => key !== "noisy")
        .map((key) => ({ typeName, input: this.#draw({ ...quick, key }) })),
    );
  }

  /** Jobs for batches: some that are too few. */
  async #bulk(): Promise<void> {
    const random = this.#random;
    const errands = Array.from({ length: 1 + random.below(6) }, () => ({
      typeName: "bulk",
      input: this.#draw({
        reschedules: random.chance(0.15) ? 1 : 0,
        next: random.chance(0.2) ? this.#name("next") : null,
      }),
    }));
    await this.#startAll(errands);
  }

  /** Notes the call before it begins, and again if it has succeeded. */
  async #set(
    settings: readonly Pick<Setting, "key" | "value">[],
    call: () => Promise<unknown>,
  ): Promise<void> {
    const { note, now } = this.#surroundings;
    const named = settings.map((one) => ({ ...one, call: this.#name("keySet") }));
    for (const one of named) note({ kind: "setting", at: now(), typeName: tenants, ...one });
    await call();
    for (const one of named) note({ kind: "set", at: now(), call: one.call });
  }

  #drawBounds(): {
    readonly concurrency: number | null;
    readonly rate: { count: number; perMs: number; burst: number } | null;
  } {
    const random = this.#random;
    const rate = { count: 8 + random.below(20), perMs: 1_000, burst: 2 + random.below(4) };
    return {
      concurrency: random.chance(0.6) ? 1 + random.below(3) : null,
      rate: random.chance(0.25) ? rate : null,
    };
  }

  /** Seldom after the first time: a bound is known to hold only while no other call may change it. */
  async #limit(): Promise<void> {
    if (this.#hasLimit && !this.#random.chance(0.3)) return;
    this.#hasLimit = true;
    const { queuert } = this.#surroundings;
    const perKey = this.#drawBounds();
    const bounds = { concurrency: this.#random.chance(0.3) ? 6 : null, rate: null };
    await this.#set([{ value: { bounds } }, { value: { perKey } }], () =>
      queuert.setLimits({ limits: [{ name: tenants, ...bounds, perKey }] }),
    );
  }

  async #ofKey(): Promise<void> {
    if (!this.#random.chance(0.5)) return;
    const { queuert } = this.#surroundings;
    const key = this.#random.pick(errandKeys);
    const ofKey = { ...this.#drawBounds(), weight: 1 + this.#random.below(3) };
    await this.#set([{ key, value: { ofKey } }], () =>
      queuert.setLimitKeys({ keys: [{ limit: tenants, key, ...ofKey }] }),
    );
  }

  async #pauseKey(): Promise<void> {
    const { queuert } = this.#surroundings;
    const key = this.#random.pick(errandKeys);
    const isPaused = this.#random.chance(0.6);
    const forMs = 200 + this.#random.below(2_000);
    const scope = { limit: tenants, keys: [key] };
    await this.#set([{ key, value: { pause: { isPaused, forMs } } }], () =>
      isPaused ? queuert.pause({ ...scope, forMs }) : queuert.resume(scope),
    );
  }

  /** An id in the form of the store: that of a start that was rolled back. */
  async #freeId(): Promise<string> {
    const { queuert } = this.#surroundings;
    const options = { typeName: "errand" as const, input: this.#draw() };
    let id = "";
    try {
      await queuert.transaction(async (context) => {
        ({ id } = await queuert.startJobSequence({ ...context, ...options }));
        throw rolledBack;
      });
    } catch (error) {
      if (error !== rolledBack) throw error;
    }
    return id;
  }

  /** Starts of one id at the same time, each with an input of its own, and again where the answer was lost. */
  async #give(): Promise<void> {
    const id = await this.#freeId();
    const count = 2 + this.#random.below(2);
    await Promise.all(Array.from({ length: count }, () => this.#giveOnce(id, 3)));
  }

  async #giveOnce(id: string, triesLeft: number): Promise<void> {
    const { queuert, note, now, onError } = this.#surroundings;
    const input = this.#draw({ failTimes: 0 });
    const { name } = input;
    const askedAt = now();
    note({ kind: "idGiving", at: askedAt, id, name });
    try {
      const options = { typeName: "errand", input, id } as const;
      const started = await queuert.startJobSequence({ autocommit: true, ...options });
      const isFirst = !started.deduplicated;
      note({ kind: "idGiven", at: now(), askedAt, id, answeredId: started.id, name, isFirst });
    } catch (error) {
      onError("give", error);
      if (triesLeft > 1) await this.#giveOnce(id, triesLeft - 1);
    }
  }

  /** A plan of an operator, for jobs that are due in weeks, or for jobs that have failed. */
  async #plan(): Promise<void> {
    if (this.#random.chance(0.3)) return this.#plans.retry();
    const errands = Array.from({ length: 1 + this.#random.below(4) }, () => ({
      typeName: "errand",
      input: this.#draw({ failTimes: 0 }),
      schedule: { afterMs: farAheadMs },
    }));
    return this.#plans.change(await this.#startAll(errands));
  }
}
