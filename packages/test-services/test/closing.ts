type Closable = { readonly close: () => Promise<void> };

/** `await using server = await closing(startX())`: closed at the end of the test, passed or not. */
export const closing = async <TService extends Closable>(
  starting: Promise<TService>,
): Promise<TService & AsyncDisposable> => {
  const service = await starting;
  return { ...service, [Symbol.asyncDispose]: () => service.close() };
};
