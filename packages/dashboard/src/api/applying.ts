// The plans that this process applies, so that `POST stop` can end one.

export class Applying {
  readonly #stops = new Map<string, AbortController>();

  /** Registers a plan until `end`. */
  begin(token: string): { readonly stop: AbortController; readonly end: () => void } {
    const stop = new AbortController();
    this.#stops.set(token, stop);
    return {
      stop,
      end: () => {
        if (this.#stops.get(token) === stop) this.#stops.delete(token);
      },
    };
  }

  /** Stops a plan after its current step. False: it is not being applied. */
  stop(token: string): boolean {
    const stop = this.#stops.get(token);
    stop?.abort();
    return stop !== undefined;
  }
}
