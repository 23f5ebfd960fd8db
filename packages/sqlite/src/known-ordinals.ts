// Where the jobs are that this process has acquired: completing one by its ordinal spares the look through the index of ids.
// A memory only: whoever uses it names the id, too, and what is not known is looked up.
export interface KnownOrdinals {
  remember(id: string, ordinal: number): void;
  /** Answers once. */
  take(id: string): number | undefined;
}

/** More than a worker or two hold; those that were handed back or have failed stay until then. */
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
