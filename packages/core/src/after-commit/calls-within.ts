import { TransactionEndingError } from "../errors.ts";

/** The calls that a callback of the user's makes in its transaction, awaited or not, until the callback has ended. */
export class CallsWithin {
  #isEnding = false;
  #callCount = 0;
  /** Of the call that was made last. */
  #answer: Promise<unknown> | null = null;
  #endsWithCall = false;
  #onLeft: (() => void) | null = null;

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Runs a call of the user's in it; refused once its callback has returned or thrown. */
  async call<T>(operation: string, run: () => Promise<T>): Promise<T> {
    if (this.#isEnding) throw new TransactionEndingError(operation);
    this.#callCount++;
    // Also one that was made within another, for its blockers.
    this.#endsWithCall = false;
    try {
      return await run();
    } finally {
      if (--this.#callCount === 0) this.#onLeft?.();
    }
  }

  /** What the call that was made last is answered with. */
  answerWith(answer: Promise<unknown>): void {
    this.#answer = answer;
  }

  /** What the callback has returned. If it is the very promise of the only call under way, nothing need come behind that. */
  returned(result: unknown): void {
    this.#endsWithCall = this.#callCount === 1 && result === this.#answer;
  }

  /** Whether the call that asks is the last of the transaction, which may end with it: then further ones are refused. */
  tryEnd(): boolean {
    if (this.#endsWithCall) this.#isEnding = true;
    return this.#endsWithCall;
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
