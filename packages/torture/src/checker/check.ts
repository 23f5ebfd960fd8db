import { checkAttempts, checkFailures, checkSchedules } from "./check-attempts.ts";
import { checkBlockers, checkLeases } from "./check-blockers.ts";
import { checkCancelCauses, checkCancellations } from "./check-cancellations.ts";
import { checkConcurrency, checkPauses, checkPermits, checkRate } from "./check-limits.ts";
import { checkControlEnds, checkSignals } from "./check-signals.ts";
import { checkBatchSizes, checkRipeBatches } from "./check-batches.ts";
import { checkErrandOutcomes, checkErrandRows, checkErrandStarts } from "./check-errands.ts";
import { checkGivenIds } from "./check-given-ids.ts";
import { checkFairness, checkKeyConcurrency, checkKeyRate } from "./check-keys.ts";
import { checkPlans } from "./check-plans.ts";
import { checkTicks, checkTicksOnce } from "./check-ticks.ts";
import { checkWaitingStarts } from "./check-waiting-starts.ts";
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
    checkCancellations,
    checkCancelCauses,
    checkConcurrency,
    checkRate,
    checkPermits,
    checkPauses,
    checkSignals,
    checkControlEnds,
    checkWaitingStarts,
    checkTicksOnce,
    checkTicks,
    checkErrandStarts,
    checkErrandOutcomes,
    checkErrandRows,
    checkKeyConcurrency,
    checkKeyRate,
    checkFairness,
    checkBatchSizes,
    checkRipeBatches,
    checkGivenIds,
    checkPlans,
  ].flatMap((rule) => rule(history));
