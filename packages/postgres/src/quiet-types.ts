// Types of which there is little to acquire at a time. Where that is so, as it is for an idle worker that is told of a job, a
// shorter routine finds it sooner; where it is not, that routine would look in vain, and is left alone until a second has
// passed without more. Beside a transaction that is held open each look may take long: see `low-water-marks.ts`.

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
