// The ordinals of the jobs that this process has acquired: a completion by ordinal needs no search in the index of ids.
// It is a cache only. The statement checks the id too, and a job that is not in the cache is found by its id.
export interface KnownOrdinals {
  remember(id: string, ordinal: number): void;
  /** Returns an ordinal once. */
  take(id: string): number | undefined;
}

/** More than a few workers hold. Jobs that were handed back or have failed stay until the cache is cleared. */
const sizeMax = 10_000;

export const createKnownOrdinals = (): KnownOrdinals => {
  const ordinals = new Map<string, number>();
  return {
    remember: (id, ordinal) => {
      if (ordinals.size >= sizeMax) ordinals.clear();
      ordinals.set(id, ordinal);
    },
    take: (id) => {
      const ordinal = ordinals.get(id);
      if (ordinal !== undefined) ordinals.delete(id);
      return ordinal;
    },
  };
};
