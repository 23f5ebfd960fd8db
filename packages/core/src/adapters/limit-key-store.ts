// The part of the contract about limits by key. A store that has it divides the jobs of a limit among keys, such as the
// customers that the jobs are for. Without it, a client refuses limits by key.
import type { LimitKeyReference, StateBounds, StateKeyBounds } from "./state-adapter-limits.ts";

/**
 * A job that is created with a `limitKey` stands under that key of that limit. The acquisition then keeps these promises, too:
 *
 * - A limit with bounds `perKey`: at no moment do more than its `concurrency` jobs of one key hold an unexpired lease.
 * - In any `perMs` jobs of one key whose costs are at most `count` + `burst` - 1 together start. A cost above `burst` counts as
 *   `burst`.
 * - Jobs under a key count under the overall bounds of its limit, and under those of their own type.
 * - Jobs of several types that share a key share its permits and its tokens.
 * - Keys take turns: each starts up to its `weight` jobs, and then the next key does. No key goes without for ever.
 * - A key that is full or paused holds no other job back, and its waiting jobs cost an acquisition nothing.
 * - Within a key: higher `priority` first, then older `scheduledAt`, then smaller `ordinal`.
 * - Jobs of a type without a key, and those under keys, both get room.
 * - Jobs under a key get at most `slots` jobs in all.
 * - A key with due jobs and room is found by the next acquisition that begins after the commit that made it so. Where several
 *   types share a limit, within a second.
 * - A job under a key whose lease has expired is due again, and its permit is free.
 * - An expired lease of a job under a key is not renewed: it is lost, with the reason `lease_expired`.
 * - `nextDueInMs` of a key at its limit is the moment of its next token, or the end of its pause. A job of a full key counts as
 *   kept back.
 * - A pause of the name of a limit: no job under a key of that limit is acquired, of any type.
 * - A `batch` with `perKey`: the jobs that are acquired of the type are of one key, or without a key. Each key is a batch of its own,
 *   with its own `minSize` and `maxWaitMs`. Its `weight` does not make it smaller.
 * - `deleteLimits`: the bounds, the pauses and the tokens of its keys are gone, too.
 * - `agingMs` of a limit: every so many milliseconds since the due time count as one level of priority, with and without keys.
 * - `updateJobs` moves a job that waits to another key, or away from all keys.
 */
export interface LimitKeyStore {
  /**
   * Changes keys of limits; all or none, commits at once. Answers for each whether it was paused. A key needs no job.
   * - The bounds of a key replace those of its limit, one by one. Null: those of the limit.
   * - Left out, bounds and pause stay as they are. A pause that is null ends.
   * - A paused key: after the call has resolved, no acquisition that begins takes a job of it. It ends by itself after `forMs`.
   * - With `extends` a pause that ends later stays as it is.
   */
  setLimitKeys(params: SetLimitKeysParams): Promise<readonly boolean[]>;

  /**
   * The keys of a limit with their use, by key. Keys that nothing is known of have the bounds of their limit.
   * - Without names: those that have bounds of their own, or are paused.
   */
  getLimitKeys(params: GetLimitKeysParams): Promise<readonly StateLimitKeyState[]>;
}

/** The changes of keys. */
export interface SetLimitKeysParams {
  readonly keys: readonly (LimitKeyReference & {
    /** Null: those of its limit. Left out: as they are. */
    readonly bounds?: StateKeyBounds | null | undefined;
    /** Null: it ends. Left out: as it is. */
    readonly pause?: LimitKeyPause | null | undefined;
  })[];
}

/** The pause of a key, as it is set. */
export interface LimitKeyPause {
  /** Null: until it is resumed. */
  readonly forMs: number | null;
  readonly note: string | null;
  /** A pause that ends later stays. */
  readonly extends: boolean;
}

/** The keys to read. */
export interface GetLimitKeysParams {
  readonly limitName: string;
  /** Null: those with bounds of their own, or a pause. */
  readonly keys: readonly string[] | null;
}

/** A key, with its use. */
export interface StateLimitKeyState extends LimitKeyReference {
  /** Of its own; null: none. */
  readonly bounds: StateKeyBounds | null;
  /** Null: it is not paused. */
  readonly pause: { readonly until: Date | null; readonly note: string | null } | null;
  /** The bounds that hold for it. */
  readonly effective: StateBounds;
  /** The jobs that hold an unexpired lease. */
  readonly running: number;
  /** The pending jobs, due or not. */
  readonly pending: number;
  /** How many starts the rate has left; null without a rate. */
  readonly tokens: number | null;
}
