import { sleep } from "./waiting.ts";

const conflictRetryMs = 5;
const conflictRetriesMax = 200;

/** Runs a transaction as often as the store aborts it for a conflict with another. */
export const runAgainOnConflict = async <T>(
  transact: () => Promise<T>,
  isTransactionConflict: (error: unknown) => boolean,
): Promise<T> => {
  for (let retries = 0; ; retries += 1) {
    try {
      return await transact();
    } catch (error) {
      if (!isTransactionConflict(error) || retries >= conflictRetriesMax) throw error;
      await sleep(conflictRetryMs);
    }
  }
};
