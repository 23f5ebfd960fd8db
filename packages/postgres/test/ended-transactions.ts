import { endedTransactionGaps, type SuiteGap } from "queuert/testing";

const reason = "a client outside its transaction runs a write as a transaction of its own";

/** Rules that the providers for PostgreSQL do not keep. */
export const gapsAfterTransactions: readonly SuiteGap[] = endedTransactionGaps(reason).filter(
  ({ rule }) => !rule.startsWith("a write that is not awaited"),
);
