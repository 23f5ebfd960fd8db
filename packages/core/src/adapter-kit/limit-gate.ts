// The permits and tokens of an acquisition in a store that counts them in JavaScript.
import type { StateBounds } from "../adapters/state-adapter-limits.ts";
import { costIn, fullLimitLookMs, nextTokenUs, spendTokens, tokensAt } from "./limit-rules.ts";

/** The permits and tokens that are left under one limit, or under one key. It counts as jobs start. */
export class Gate {
  readonly weight: number;
  private readonly bounds: StateBounds;
  private readonly nowUs: number;
  private readonly save: (backAtUs: number) => void;
  private permits: number;
  private backAtUs: number | null;

  constructor(
    bounds: StateBounds & { readonly weight?: number },
    use: { readonly running: number; readonly backAtUs: number | null; readonly now: number },
    save: (backAtUs: number) => void,
  ) {
    this.bounds = bounds;
    this.weight = bounds.weight ?? 1;
    this.permits = (bounds.concurrency ?? Infinity) - use.running;
    this.backAtUs = use.backAtUs;
    this.nowUs = use.now * 1_000;
    this.save = save;
  }

  /** How many jobs of cost 1 may start now. */
  get room(): number {
    const { rate } = this.bounds;
    const tokens = rate === null ? Infinity : tokensAt(rate, this.backAtUs, this.nowUs);
    return Math.max(0, Math.min(this.permits, tokens));
  }

  /** No permit is left: only the end of an attempt makes room. */
  get isFull(): boolean {
    return this.permits <= 0;
  }

  admits(cost: number): boolean {
    const { rate } = this.bounds;
    if (this.permits <= 0) return false;
    return rate === null || tokensAt(rate, this.backAtUs, this.nowUs) >= costIn(rate, cost);
  }

  /** A job of this cost starts. */
  start(cost: number): void {
    const { rate } = this.bounds;
    this.take(1, rate === null ? 0 : costIn(rate, cost));
  }

  /** So many jobs of cost 1 start. */
  startMany(count: number): void {
    this.take(count, count);
  }

  private take(permits: number, tokens: number): void {
    const { rate } = this.bounds;
    this.permits -= permits;
    if (rate === null) return;
    this.backAtUs = spendTokens(rate, this.backAtUs, this.nowUs, tokens);
    this.save(this.backAtUs);
  }

  /** When a job of this cost may be admitted, in milliseconds since 1970. */
  lookAt(cost: number): number {
    const { rate } = this.bounds;
    if (rate === null || this.permits <= 0) return this.nowUs / 1_000 + fullLimitLookMs;
    return nextTokenUs(rate, this.backAtUs, this.nowUs, cost) / 1_000;
  }
}
