/** Waits for a promise, but not longer than this. The promise itself goes on; its late outcome is ignored. */
export const withinTime = <TValue>(
  promise: Promise<TValue>,
  timeoutMs: number,
  operation: string,
): Promise<TValue> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`${operation} has not answered within ${timeoutMs} ms.`));
    }, timeoutMs);
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer);
    });
  });
