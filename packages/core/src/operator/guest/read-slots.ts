// Operators are guests in the pool of the application: few reads at a time, equal reads once, and answers that are kept for a
// moment. So many open pages cost as much as one.

/** At most `count` reads at a time; the others wait in order. */
export class ReadSlots {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  async run<T>(read: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await read();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}

/** A read that took this long is kept for longer. */
const slowMs = 200;

interface Kept<T> {
  readonly value: Promise<T>;
  until: number;
}

/** Answers of reads, by their key. A read under way is shared, and its answer is kept. */
export class ReadCache {
  readonly #kept = new Map<string, Kept<unknown>>();
  readonly #now: () => number;
  readonly #slowFactor: number;

  /** `slowFactor`: a slow read is kept for this many times as long as it took. */
  constructor(now: () => number, slowFactor = 20) {
    this.#now = now;
    this.#slowFactor = slowFactor;
  }

  get<T>(key: string, keepMs: number, read: () => Promise<T>): Promise<T> {
    const begunAt = this.#now();
    const found = this.#kept.get(key) as Kept<T> | undefined;
    if (found !== undefined && found.until > begunAt) return found.value;
    this.#forgetOld(begunAt);
    const kept: Kept<T> = { value: read(), until: Infinity };
    this.#kept.set(key, kept);
    kept.value.then(
      () => {
        const tookMs = this.#now() - begunAt;
        kept.until =
          this.#now() + (tookMs > slowMs ? Math.max(keepMs, tookMs * this.#slowFactor) : keepMs);
      },
      () => this.#kept.delete(key),
    );
    return kept.value;
  }

  /** A write changes the answers. */
  clear(): void {
    this.#kept.clear();
  }

  #forgetOld(now: number): void {
    for (const [key, { until }] of this.#kept) if (until <= now) this.#kept.delete(key);
  }
}
