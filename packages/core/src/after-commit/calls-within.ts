import { TransactionEndingError } from "../errors.ts";

/** The calls that a callback of the user's makes in its transaction, awaited or not, until the callback has ended. */
export class CallsWithin {
  #isEnding = false;
  #callCount = 0;
  #onLeft: (() => void) | null = null;

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Runs a call of the user's in it; refused once its callback has returned or thrown. */
  async call<T>(operation: string, run: () => Promise<T>): Promise<T> {
    if (this.#isEnding) throw new TransactionEndingError(operation);
    this.#callCount++;
    try {
      return await run();
    } finally {
      if (--this.#callCount === 0) this.#onLeft?.();
    }
  }

  /**
   * Refuses further calls, and answers when those under way have ended; null if there are none. Ended before them, their
   * statements would run outside: stored although everything else was rolled back.
   */
  leave(): Promise<void> | null {
    this.#isEnding = true;
    if (this.#callCount === 0) return null;
    return new Promise((resolve) => {
      this.#onLeft = resolve;
    });
  }
}
