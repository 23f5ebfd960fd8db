/** The base of all errors of the library: `instanceof QueuertError`, then look at `code`. */
export abstract class QueuertError extends Error {
  abstract readonly code: `QUEUERT_${string}`;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
