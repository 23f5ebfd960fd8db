import type { Engine } from "../engine.ts";
import { StateNotInTransactionError } from "../errors.ts";

/** Refuses a context that is in no open transaction: what it wrote would be stored whatever became of the user's data. */
export const assertInTransaction = async (
  { state }: Pick<Engine, "state">,
  context: object,
  operation: string,
): Promise<void> => {
  if (!(await state.isInTransaction(context))) throw new StateNotInTransactionError(operation);
};
