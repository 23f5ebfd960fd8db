/**
 * The base of all errors of the library: `instanceof QueuertError`, then look at `code`. `docs/errors.md` has each code, and
 * `npx queuert explain-error <code>` prints its reason and its remedy.
 */
export abstract class QueuertError extends Error {
  abstract readonly code: `QUEUERT_${string}`;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }

  /** Names the code beside the sentence, as the errors of Node do. `message` stays the plain sentence. */
  override toString(): string {
    return `${this.name} [${this.code}]: ${this.message}`;
  }
}
