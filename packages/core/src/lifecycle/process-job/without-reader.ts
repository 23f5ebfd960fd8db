/**
 * A promise that user code is given and may forget to await: that it rejects then must not end the process, whose other jobs
 * have done nothing. The attempt fails all the same, for it has no outcome.
 */
export const withoutReader = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined);
  return promise;
};
