import { checkAttempts, checkFailures, checkSchedules } from "./check-attempts.ts";
import { checkBlockers, checkLeases } from "./check-blockers.ts";
import { checkDeduplication } from "./check-deduplication.ts";
import { checkOrder } from "./check-order.ts";
import { checkAwaited, checkCompleters, checkRows, checkTokens } from "./check-outcomes.ts";
import {
  checkConnections,
  checkHolders,
  checkLeaks,
  checkLeaseLength,
  checkRecovery,
} from "./check-recovery.ts";
import { checkRetention } from "./check-retention.ts";
import { checkChains, checkDeletions, checkOnce, checkStarts } from "./check-starts.ts";
import type { History, Violation } from "./history.ts";

/** Reads only the records of a run. It uses no code of the library that is judged. */
export const check = (history: History): readonly Violation[] =>
  [
    checkStarts,
    checkOnce,
    checkChains,
    checkDeletions,
    checkRetention,
    checkRows,
    checkTokens,
    checkCompleters,
    checkAwaited,
    checkFailures,
    checkAttempts,
    checkSchedules,
    checkBlockers,
    checkLeases,
    checkDeduplication,
    checkOrder,
    checkRecovery,
    checkLeaseLength,
    checkHolders,
    checkLeaks,
    checkConnections,
  ].flatMap((rule) => rule(history));
