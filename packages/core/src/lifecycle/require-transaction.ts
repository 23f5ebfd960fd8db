import type { Engine } from "../engine.ts";
import { StateNotInTransactionError } from "../errors.ts";

/**
 * The context of a call that needs an open transaction. Without one the write would be stored even if the caller's own
 * data is not.
 */
export const requireTransaction = async (
  { state }: Pick<Engine, "state">,
  context: object | undefined,
  operation: string,
  /** What the caller may give instead of a context. */
  alternative?: string,
): Promise<object> => {
  if (context !== undefined && (await state.isInTransaction(context))) return context;
  throw new StateNotInTransactionError(operation, alternative);
};
