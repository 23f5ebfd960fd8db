// Every method of the contract has its suites here: one that is missing does not compile.
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateSuite } from "../state-suite.ts";
import { acquisitionRaceSuite } from "./races/acquisition.suite.ts";
import { blockerRaceSuites } from "./races/blockers.suite.ts";
import { continuingRaceSuites } from "./races/continuing.suite.ts";
import { cancellationRaceSuites } from "./races/cancellations.suite.ts";
import { deadlockSuite } from "./races/deadlocks.suite.ts";
import { deduplicationRaceSuite } from "./races/deduplication.suite.ts";
import { givenIdsRaceSuite } from "./races/given-ids.suite.ts";
import { leaseRaceSuites } from "./races/leases.suite.ts";
import { retryRaceSuite } from "./races/retries.suite.ts";
import { acquireJobsBatchesSuite } from "./acquire-jobs.batches.suite.ts";
import { acquireJobsLimitsSuite } from "./acquire-jobs.limits.suite.ts";
import { acquireJobsSuites } from "./acquire-jobs.suite.ts";
import {
  cancelledWaitSuite,
  deadlineRaceSuite,
  deadlinesSuite,
  limitedWaitSuite,
  pausedWaitSuite,
  retriedWaitSuite,
} from "./deadlines.suite.ts";
import { addBlockersSuite } from "./add-blockers.suite.ts";
import { cancelSequencesSuites } from "./cancel-sequences.suite.ts";
import { completeJobsSuites } from "./complete-jobs.suite.ts";
import { completeJobsCommittingSuite } from "./complete-jobs.committing.suite.ts";
import { completeJobsUnblockingSuite } from "./complete-jobs.unblocking.suite.ts";
import { createJobsCommittingSuite } from "./create-jobs.committing.suite.ts";
import { createJobsGivenIdsSuite, freedIdsSuite } from "./create-jobs.given-ids.suite.ts";
import { createJobsSuites } from "./create-jobs.suite.ts";
import { deleteFinishedSequencesSuite } from "./delete-finished-sequences.suite.ts";
import { deleteSequencesSuite } from "./delete-sequences.suite.ts";
import { failJobsSuite } from "./fail-jobs.suite.ts";
import { getBlockersSuite } from "./get-blockers.suite.ts";
import { getJobsSuite } from "./get-jobs.suite.ts";
import { boundsOfKeysSuite } from "./limit-keys.suite.ts";
import { fairnessOfKeysSuite } from "./limit-keys.fairness.suite.ts";
import { turnsOfKeysSuite } from "./limit-keys.turns.suite.ts";
import { batchesOfKeysSuite } from "./limit-keys.batches.suite.ts";
import { waitingUnderKeysSuite } from "./limit-keys.waiting.suite.ts";
import { limitKeyMethodSuites } from "./set-limit-keys.suite.ts";
import { limitKeyRaceSuite } from "./races/limit-keys.suite.ts";
import { getLimitsSuite } from "./get-limits.suite.ts";
import { getPausesSuite } from "./get-pauses.suite.ts";
import { getSequencesSuite } from "./get-sequences.suite.ts";
import { getStoreIdSuite } from "./get-store-id.suite.ts";
import { isInTransactionSuite } from "./is-in-transaction.suite.ts";
import { listBlockerEdgesSuite } from "./list-blocker-edges.suite.ts";
import { listJobsSuites } from "./list-jobs.suite.ts";
import { listSequencesSuite } from "./list-sequences.suite.ts";
import { lockSequencesSuite } from "./lock-sequences.suite.ts";
import { pauseSuite } from "./pause.suite.ts";
import { provideContextSuite } from "./provide-context.suite.ts";
import { reclaimExpiredLeasesSuite } from "./reclaim-expired-leases.suite.ts";
import { renewLeasesSuites } from "./renew-leases.suite.ts";
import { rescheduleJobsSuite } from "./reschedule-jobs.suite.ts";
import { resumeSuite } from "./resume.suite.ts";
import { retryFailedJobsSuite } from "./retry-failed-jobs.suite.ts";
import { runInTransactionSuites } from "./run-in-transaction.suite.ts";
import { deleteLimitsSuite } from "./delete-limits.suite.ts";
import { setLimitsSuite } from "./set-limits.suite.ts";
import { summarizeSuite } from "./summarize.suite.ts";
import { deleteScheduleTicksSuite } from "./delete-schedule-ticks.suite.ts";
import { deleteSchedulesSuite } from "./delete-schedules.suite.ts";
import { listScheduleTicksSuite } from "./list-schedule-ticks.suite.ts";
import { listSchedulesSuite } from "./list-schedules.suite.ts";
import { lockSchedulesSuite } from "./lock-schedules.suite.ts";
import { nextScheduleInMsSuite } from "./next-schedule-in-ms.suite.ts";
import { recordTicksSuite } from "./record-ticks.suite.ts";
import { takeDueSchedulesSuite } from "./take-due-schedules.suite.ts";
import { writeSchedulesSuite } from "./write-schedules.suite.ts";
import { triggerJobsSuite } from "./trigger-jobs.suite.ts";
import { updateJobsSuite } from "./update-jobs.suite.ts";

/** The methods of a state adapter. */
export type StateAdapterMethod = Exclude<
  keyof AnyStateAdapter,
  "capabilities" | "operator" | "limitKeys"
>;

export const stateSuites: Readonly<Record<StateAdapterMethod, readonly StateSuite[]>> = {
  provideContext: [provideContextSuite],
  runInTransaction: runInTransactionSuites,
  isInTransaction: [isInTransactionSuite],
  getStoreId: [getStoreIdSuite],
  createJobs: [...createJobsSuites, createJobsGivenIdsSuite, createJobsCommittingSuite],
  addBlockers: [addBlockersSuite, limitedWaitSuite],
  acquireJobs: [...acquireJobsSuites, deadlinesSuite],
  renewLeases: renewLeasesSuites,
  completeJobs: [...completeJobsSuites, completeJobsUnblockingSuite, completeJobsCommittingSuite],
  rescheduleJobs: [rescheduleJobsSuite],
  failJobs: [failJobsSuite],
  cancelSequences: [...cancelSequencesSuites, cancelledWaitSuite, freedIdsSuite],
  reclaimExpiredLeases: [reclaimExpiredLeasesSuite],
  retryFailedJobs: [retryFailedJobsSuite, retriedWaitSuite],
  updateJobs: [updateJobsSuite],
  triggerJobs: [triggerJobsSuite],
  lockSequences: [lockSequencesSuite],
  deleteSequences: [deleteSequencesSuite],
  deleteFinishedSequences: [deleteFinishedSequencesSuite],
  nextScheduleInMs: [nextScheduleInMsSuite],
  takeDueSchedules: [takeDueSchedulesSuite],
  lockSchedules: [lockSchedulesSuite],
  writeSchedules: [writeSchedulesSuite],
  deleteSchedules: [deleteSchedulesSuite],
  listSchedules: [listSchedulesSuite],
  recordTicks: [recordTicksSuite],
  listScheduleTicks: [listScheduleTicksSuite],
  deleteScheduleTicks: [deleteScheduleTicksSuite],
  pause: [pauseSuite, pausedWaitSuite],
  resume: [resumeSuite],
  getPauses: [getPausesSuite],
  deleteLimits: [deleteLimitsSuite],
  setLimits: [setLimitsSuite, acquireJobsLimitsSuite, acquireJobsBatchesSuite],
  getLimits: [getLimitsSuite],
  getJobs: [getJobsSuite],
  getSequences: [getSequencesSuite],
  getBlockers: [getBlockersSuite],
  listBlockerEdges: [listBlockerEdgesSuite],
  listJobs: listJobsSuites,
  listSequences: [listSequencesSuite],
  summarize: [summarizeSuite],
};

export const stateRaceSuites: readonly StateSuite[] = [
  ...blockerRaceSuites,
  deadlineRaceSuite,
  retryRaceSuite,
  deduplicationRaceSuite,
  givenIdsRaceSuite,
  acquisitionRaceSuite,
  ...leaseRaceSuites,
  ...cancellationRaceSuites,
  ...continuingRaceSuites,
  deadlockSuite,
];

/** The suites of `limitKeys`, which not every store has. */
export const limitKeySuites: readonly StateSuite[] = [
  boundsOfKeysSuite,
  turnsOfKeysSuite,
  fairnessOfKeysSuite,
  waitingUnderKeysSuite,
  batchesOfKeysSuite,
  ...limitKeyMethodSuites,
];

/** Races of `limitKeys`. */
export const limitKeyRaceSuites: readonly StateSuite[] = [limitKeyRaceSuite];
