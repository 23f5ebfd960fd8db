/** Waits for a promise, but not longer than this. The promise itself goes on; its late outcome is ignored. */
export const withinTime = <TValue>(
  promise: Promise<TValue>,
  timeoutMs: number,
  /** What is waited for, as the subject of the error's message; or the error itself. */
  operation: string | (() => Error),
): Promise<TValue> =>
  new Promise((resolve, reject) => {
    const toError =
      typeof operation === "string"
        ? () => new Error(`${operation} has not answered within ${timeoutMs} ms.`)
        : operation;
    const timer = setTimeout(() => reject(toError()), timeoutMs);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
