// The keys of limits: the optional part of the contract.
import { tokensAt } from "../adapter-kit/limit-rules.ts";
import type {
  LimitKeyPause,
  LimitKeyStore,
  SetLimitKeysParams,
  StateLimitKeyState,
} from "../adapters/limit-key-store.ts";
import type { LimitKeyReference } from "../adapters/state-adapter-limits.ts";
import type { Database } from "./database.ts";
import { after } from "./instants.ts";
import { activePauseOf, effectiveBounds, Permits, type StoredLimitKey } from "./limits.ts";
import type { Store } from "./store.ts";
import { keyId } from "./key-id.ts";

export const limitKeyStore = (database: Database): LimitKeyStore => ({
  setLimitKeys: async ({ keys }) =>
    keys.length === 0
      ? []
      : database.write(undefined, "setLimitKeys", (store) => keys.map((one) => set(store, one))),

  getLimitKeys: async ({ limitName, keys }) =>
    database.readIndexes(undefined, "getLimitKeys", (store) => {
      const permits = new Permits(store);
      return (keys === null ? ownKeys(store, limitName) : [...new Set(keys)])
        .toSorted()
        .map((key) => toState(store, permits, { limitName, key }));
    }),
});

const set = (
  store: Store,
  { limitName, key, bounds, pause }: SetLimitKeysParams["keys"][number],
): boolean => {
  const id = keyId({ limitName, key });
  const stored: StoredLimitKey = store.limitKeys.get(id) ?? {
    ...{ limitName, key, bounds: null, pause: null, backAtUs: null },
  };
  const before = activePauseOf(stored, store.now);
  store.limitKeys.set(id, {
    ...stored,
    bounds: bounds === undefined ? stored.bounds : bounds,
    pause: pause === undefined ? before : nextPause(store, pause, before),
  });
  return before !== null;
};

const nextPause = (
  { now }: Store,
  pause: LimitKeyPause | null,
  before: StoredLimitKey["pause"],
): StoredLimitKey["pause"] => {
  if (pause === null) return null;
  const until = pause.forMs === null ? null : after(now, pause.forMs);
  const isEarlier = before !== null && (until ?? Infinity) <= (before.until ?? Infinity);
  return pause.extends && isEarlier ? before : { until, note: pause.note };
};

const ownKeys = (store: Store, limitName: string): string[] =>
  [...store.limitKeys.values()]
    .filter(
      (one) =>
        one.limitName === limitName &&
        (one.bounds !== null || activePauseOf(one, store.now) !== null),
    )
    .map(({ key }) => key);

const toState = (
  store: Store,
  permits: Permits,
  reference: LimitKeyReference,
): StateLimitKeyState => {
  const stored = store.limitKeys.get(keyId(reference));
  const pause = activePauseOf(stored, store.now);
  const { concurrency, rate } = effectiveBounds(store, reference);
  return {
    ...reference,
    bounds: stored?.bounds ?? null,
    pause: pause && {
      until: pause.until === null ? null : new Date(pause.until),
      note: pause.note,
    },
    effective: { concurrency, rate },
    running: permits.ofKey(reference),
    pending: pendingUnder(store, reference),
    tokens: rate === null ? null : tokensAt(rate, stored?.backAtUs ?? null, store.now * 1_000),
  };
};

const pendingUnder = (store: Store, reference: LimitKeyReference): number => {
  let count = 0;
  for (const { keys } of store.queues.values()) {
    count += keys.get(keyId(reference))?.pendingCount ?? 0;
  }
  return count;
};
