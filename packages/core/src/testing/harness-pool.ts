interface Harness {
  readonly clear?: (() => Promise<void>) | undefined;
  readonly close: () => Promise<void>;
}

export interface HarnessPool<THarness> {
  /** An empty one: the last one cleared, or a new one. */
  take(): Promise<THarness>;
  giveBack(harness: THarness): Promise<void>;
  close(): Promise<void>;
}

/** Keeps a harness that can be cleared for the whole file; closes any other after each test. */
export const createHarnessPool = <THarness extends Harness>(
  open: () => Promise<THarness>,
): HarnessPool<THarness> => {
  let kept: THarness | undefined;
  return {
    take: async () => {
      const harness = kept ?? (await open());
      kept = undefined;
      await harness.clear?.();
      return harness;
    },
    giveBack: async (harness) => {
      if (harness.clear !== undefined && kept === undefined) kept = harness;
      else await harness.close();
    },
    close: async () => {
      await kept?.close();
      kept = undefined;
    },
  };
};
