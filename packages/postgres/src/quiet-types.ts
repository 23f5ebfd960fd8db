// Types of which there are few jobs to acquire at a time. For them, a shorter routine finds a job sooner, which an idle worker
// gains from. For other types the shorter routine would delegate, so it is not used for one second after it did. Beside a long
// transaction each probe may be slow: see `low-water-marks.ts`.

export interface QuietTypes {
  /** Whether it is worth trying with all of these. */
  have(types: readonly { readonly typeName: string }[]): boolean;
  /** There are more of these than the shorter routine takes. */
  foundMore(types: readonly { readonly typeName: string }[]): void;
}

const retryAfterMs = 1_000;

export const createQuietTypes = (): QuietTypes => {
  const busyUntil = new Map<string, number>();
  return {
    have: (types) => {
      if (busyUntil.size === 0) return true;
      const now = performance.now();
      for (const [typeName, until] of busyUntil) {
        if (until <= now) busyUntil.delete(typeName);
      }
      return types.every(({ typeName }) => !busyUntil.has(typeName));
    },
    foundMore: (types) => {
      const until = performance.now() + retryAfterMs;
      for (const { typeName } of types) busyUntil.set(typeName, until);
    },
  };
};
