// The arithmetic of limits, which every store shares. A rate is one instant: the time at which the tokens will be back if no
// job starts (the generic cell rate algorithm). Instants are whole microseconds since 1970, so that no rounding adds a start.
import type {
  LimitDeclaration,
  StateBounds,
  StateKeyBounds,
  StateRate,
} from "../adapters/state-adapter-limits.ts";

/** How long after a look at a full limit the next one follows. Ends of attempts in the same process come before. */
export const fullLimitLookMs = 1_000;

/** The time that a token takes to come back. */
export const rateIntervalUs = ({ count, perMs }: StateRate): number =>
  Math.ceil((perMs * 1_000) / count);

/** How many jobs may start now. */
export const tokensAt = (rate: StateRate, backAtUs: number | null, nowUs: number): number => {
  const intervalUs = rateIntervalUs(rate);
  return Math.floor(rate.burst - (backFrom(rate, backAtUs, nowUs) - nowUs) / intervalUs);
};

/** When a job of this cost may start. */
export const nextTokenUs = (
  rate: StateRate,
  backAtUs: number | null,
  nowUs: number,
  cost = 1,
): number =>
  backFrom(rate, backAtUs, nowUs) - (rate.burst - costIn(rate, cost)) * rateIntervalUs(rate);

/** The tokens that a start takes: a cost above the burst would never be there. */
export const costIn = (rate: StateRate, cost: number): number => Math.min(cost, rate.burst);

/** When the tokens are back after so many starts. */
export const spendTokens = (
  rate: StateRate,
  backAtUs: number | null,
  nowUs: number,
  starts: number,
): number => backFrom(rate, backAtUs, nowUs) + starts * rateIntervalUs(rate);

/** Not before now. Not later than an empty bucket needs either: the clock may have been set back, or the rate raised. */
const backFrom = (rate: StateRate, backAtUs: number | null, nowUs: number): number =>
  Math.max(nowUs, Math.min(backAtUs ?? nowUs, nowUs + rate.burst * rateIntervalUs(rate)));

/** A limit as an acquisition reads it. */
export interface LimitUse extends StateBounds {
  readonly backAtUs: number | null;
  /** The jobs that hold an unexpired lease. */
  readonly running: number;
}

export interface LimitRoom {
  readonly count: number;
  /** When there may be more room, in microseconds since 1970. */
  readonly lookAtUs: number;
}

/** How many more jobs may start now under a limit. */
export const limitRoom = (
  { concurrency, rate, backAtUs, running }: LimitUse,
  nowUs: number,
): LimitRoom => {
  const permits = concurrency === null ? Infinity : concurrency - running;
  const tokens = rate === null ? Infinity : tokensAt(rate, backAtUs, nowUs);
  const count = Math.max(0, Math.min(permits, tokens));
  const fullUntilUs = nowUs + fullLimitLookMs * 1_000;
  if (rate === null || permits <= tokens) return { count, lookAtUs: fullUntilUs };
  const spent = spendTokens(rate, backAtUs, nowUs, count);
  return { count, lookAtUs: nextTokenUs(rate, spent, nowUs) };
};

export const unbounded: StateBounds = { concurrency: null, rate: null };

/** The bounds of a key: its own, and for each that it has not, that of its limit. */
export const boundsOfKey = (
  perKey: StateBounds | undefined,
  own: StateKeyBounds | null,
): StateKeyBounds => ({
  concurrency: own?.concurrency ?? perKey?.concurrency ?? null,
  rate: own?.rate ?? perKey?.rate ?? null,
  weight: own?.weight ?? 1,
});

/** A declaration is written if it has changed, and no newer code has declared the limit. */
export const isDeclarationNews = (
  declaration: LimitDeclaration | null,
  stored: LimitDeclaration | null,
): boolean =>
  declaration === null ||
  stored === null ||
  (declaration.hash !== stored.hash && declaration.revision >= stored.revision);
