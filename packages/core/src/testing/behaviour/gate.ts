import { eventually } from "../waiting.ts";

/** A barrier: a caller waits until it is opened. */
export interface Gate {
  /** Resolves once it is open. */
  readonly pass: () => Promise<void>;
  readonly open: () => void;
  /** How many have come so far, let through or not. */
  readonly arrivals: () => number;
  /** Resolves when so many have come. */
  readonly arrived: (count?: number) => Promise<void>;
}

export const createGate = (): Gate => {
  let arrivals = 0;
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return {
    pass: () => {
      arrivals += 1;
      return opened;
    },
    open,
    arrivals: () => arrivals,
    arrived: async (count = 1) => {
      await eventually(
        () => Promise.resolve(arrivals >= count ? true : undefined),
        `${count} at the gate`,
      );
    },
  };
};
