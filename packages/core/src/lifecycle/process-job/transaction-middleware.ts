// The middleware around `prepare` and `complete`. It runs inside their transaction, and cannot replace the result.
import { ProcessMisuseError } from "../../errors.ts";
import type { MiddlewareContext, TransactionMiddleware } from "../../public-types/worker.ts";

/** One call of a middleware. */
export type Layer = (next: () => Promise<void>) => Promise<void>;

export const toLayers = (
  middleware: readonly TransactionMiddleware<object>[],
  about: MiddlewareContext,
  transaction: object | undefined,
): readonly Layer[] => middleware.map((one) => (next) => one({ ...about, transaction }, next));

/** Runs the code inside all layers, the first of which is the outermost. */
export const runInLayers = async <T>(
  layers: readonly Layer[],
  run: () => T | Promise<T>,
): Promise<T> => {
  let done: { readonly result: T } | null = null;
  const enter = async (index: number): Promise<void> => {
    const layer = layers[index];
    if (layer !== undefined) return layer(() => enter(index + 1));
    if (done !== null) throw new ProcessMisuseError("A middleware can call `next` only once");
    done = { result: await run() };
  };
  await enter(0);
  // Set in a callback, which the compiler does not follow.
  const ended = done as { readonly result: T } | null;
  if (ended === null) {
    throw new ProcessMisuseError(
      "A middleware of `prepare` or `complete` must call `next` and await it",
    );
  }
  return ended.result;
};
