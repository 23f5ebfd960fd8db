// Who listens for what: a set of listeners for each type name or id.

export interface ListenersByKey<TListener> {
  add(keys: readonly string[], listener: TListener): void;
  remove(keys: readonly string[], listener: TListener): void;
  /** Whether anybody listens for anything. */
  isEmpty(): boolean;
  /** A copy, so that a listener may come or go while the others are being told. */
  of(key: string): readonly TListener[];
  /** Each pair of listener and key once. */
  pairs(): readonly (readonly [listener: TListener, key: string])[];
  clear(): void;
}

export const createListenersByKey = <TListener>(): ListenersByKey<TListener> => {
  const listeners = new Map<string, Set<TListener>>();
  return {
    add: (keys, listener) => {
      for (const key of keys) {
        const known = listeners.get(key);
        if (known === undefined) listeners.set(key, new Set([listener]));
        else known.add(listener);
      }
    },
    remove: (keys, listener) => {
      for (const key of keys) {
        const known = listeners.get(key);
        known?.delete(listener);
        if (known?.size === 0) listeners.delete(key);
      }
    },
    isEmpty: () => listeners.size === 0,
    of: (key) => [...(listeners.get(key) ?? [])],
    pairs: () =>
      [...listeners].flatMap(([key, set]) => [...set].map((listener) => [listener, key] as const)),
    clear: () => {
      listeners.clear();
    },
  };
};
