// Limits, their keys, and their meaning for an acquisition.
import { Gate } from "../adapter-kit/limit-gate.ts";
import { boundsOfKey } from "../adapter-kit/limit-rules.ts";
import type {
  LimitDeclaration,
  LimitKeyReference,
  StateBounds,
  StateKeyBounds,
} from "../adapters/state-adapter-limits.ts";
import type { Store } from "./store.ts";
import { keyId } from "./key-id.ts";

/** A limit. It stays without bounds, too, and with it its declaration. */
export interface StoredLimit extends StateBounds {
  readonly perKey: StateBounds;
  readonly agingMs: number | null;
  readonly declaration: LimitDeclaration | null;
  readonly updatedAt: number;
  /** When the tokens of the rate are back, in microseconds. Null: no job has started under the rate. */
  readonly backAtUs: number | null;
}

/** A key of a limit. */
export interface StoredLimitKey extends LimitKeyReference {
  readonly bounds: StateKeyBounds | null;
  /** It may have ended. `until` null: until it is resumed. */
  readonly pause: { readonly until: number | null; readonly note: string | null } | null;
  readonly backAtUs: number | null;
}

/** Whether jobs of a type need permits or tokens. */
export const isBounded = (limit: StoredLimit | undefined): limit is StoredLimit =>
  limit !== undefined && (limit.concurrency !== null || limit.rate !== null);

/** The pause of a key that has not ended. */
export const activePauseOf = (
  stored: StoredLimitKey | undefined,
  now: number,
): StoredLimitKey["pause"] => {
  const pause = stored?.pause ?? null;
  return pause === null || (pause.until !== null && pause.until <= now) ? null : pause;
};

/** The bounds that hold for a key. */
export const effectiveBounds = (store: Store, reference: LimitKeyReference): StateKeyBounds =>
  boundsOfKey(
    store.limits.get(reference.limitName)?.perKey,
    store.limitKeys.get(keyId(reference))?.bounds ?? null,
  );

/** The jobs that hold an unexpired lease, by limit and by key. A job counts under its type, too. */
export class Permits {
  private readonly limits = new Map<string, number>();
  private readonly keys = new Map<string, number>();

  constructor(store: Store) {
    for (const { typeName, state } of store.leases.running()) {
      if (state === undefined || (state.leasedUntil ?? 0) <= store.now) continue;
      add(this.limits, typeName);
      const { limitKey } = state;
      if (limitKey === null) continue;
      if (limitKey.limitName !== typeName) add(this.limits, limitKey.limitName);
      add(this.keys, keyId(limitKey));
    }
  }

  ofLimit(name: string): number {
    return this.limits.get(name) ?? 0;
  }

  ofKey(reference: LimitKeyReference): number {
    return this.keys.get(keyId(reference)) ?? 0;
  }
}

const add = (counts: Map<string, number>, name: string): void => {
  counts.set(name, (counts.get(name) ?? 0) + 1);
};

/** The gates of one acquisition, each made when it is first asked for. */
export class Gates {
  private readonly store: Store;
  private readonly made = new Map<string, Gate | undefined>();
  private permits: Permits | undefined;

  constructor(store: Store) {
    this.store = store;
  }

  /** Undefined without bounds. */
  ofLimit(name: string): Gate | undefined {
    return this.once(name, () => {
      const limit = this.store.limits.get(name);
      if (!isBounded(limit)) return undefined;
      const use = { ...limit, running: this.counted().ofLimit(name), now: this.store.now };
      return new Gate(limit, use, (backAtUs) => {
        this.store.limits.set(name, { ...limit, backAtUs });
      });
    });
  }

  ofKey({ limitName, key }: LimitKeyReference): Gate {
    const reference = { limitName, key };
    const id = keyId(reference);
    const make = (): Gate => {
      const { limitKeys, now } = this.store;
      const stored = limitKeys.get(id) ?? { ...reference, bounds: null, pause: null };
      const backAtUs = limitKeys.get(id)?.backAtUs ?? null;
      const use = { backAtUs, running: this.counted().ofKey(reference), now };
      return new Gate(effectiveBounds(this.store, reference), use, (spentUntil) => {
        limitKeys.set(id, { ...stored, backAtUs: spentUntil });
      });
    };
    return this.once(id, make) ?? make();
  }

  private once(id: string, make: () => Gate | undefined): Gate | undefined {
    if (!this.made.has(id)) this.made.set(id, make());
    return this.made.get(id);
  }

  private counted(): Permits {
    this.permits ??= new Permits(this.store);
    return this.permits;
  }
}
