// Every method of the contract has its suites here: one that is missing does not compile.
import type { AnyStateAdapter } from "../../adapters/state-adapter.ts";
import type { StateSuite } from "../state-suite.ts";
import { acquisitionRaceSuite } from "./races/acquisition.suite.ts";
import { blockerRaceSuites } from "./races/blockers.suite.ts";
import { cancellationRaceSuites } from "./races/cancellations.suite.ts";
import { deadlockSuite } from "./races/deadlocks.suite.ts";
import { deduplicationRaceSuite } from "./races/deduplication.suite.ts";
import { leaseRaceSuites } from "./races/leases.suite.ts";
import { retryRaceSuite } from "./races/retries.suite.ts";
import { acquireJobsSuites } from "./acquire-jobs.suite.ts";
import { addBlockersSuite } from "./add-blockers.suite.ts";
import { cancelSequencesSuites } from "./cancel-sequences.suite.ts";
import { completeJobsSuites } from "./complete-jobs.suite.ts";
import { completeJobsCommittingSuite } from "./complete-jobs.committing.suite.ts";
import { completeJobsUnblockingSuite } from "./complete-jobs.unblocking.suite.ts";
import { createJobsCommittingSuite } from "./create-jobs.committing.suite.ts";
import { createJobsSuites } from "./create-jobs.suite.ts";
import { deleteFinishedSequencesSuite } from "./delete-finished-sequences.suite.ts";
import { deleteSequencesSuite } from "./delete-sequences.suite.ts";
import { failJobsSuite } from "./fail-jobs.suite.ts";
import { getBlockersSuite } from "./get-blockers.suite.ts";
import { getJobsSuite } from "./get-jobs.suite.ts";
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

/** The methods of a state adapter. */
export type StateAdapterMethod = Exclude<keyof AnyStateAdapter, "capabilities" | "operator">;

export const stateSuites: Readonly<Record<StateAdapterMethod, readonly StateSuite[]>> = {
  provideContext: [provideContextSuite],
  runInTransaction: runInTransactionSuites,
  isInTransaction: [isInTransactionSuite],
  getStoreId: [getStoreIdSuite],
  createJobs: [...createJobsSuites, createJobsCommittingSuite],
  addBlockers: [addBlockersSuite],
  acquireJobs: acquireJobsSuites,
  renewLeases: renewLeasesSuites,
  completeJobs: [...completeJobsSuites, completeJobsUnblockingSuite, completeJobsCommittingSuite],
  rescheduleJobs: [rescheduleJobsSuite],
  failJobs: [failJobsSuite],
  cancelSequences: cancelSequencesSuites,
  reclaimExpiredLeases: [reclaimExpiredLeasesSuite],
  retryFailedJobs: [retryFailedJobsSuite],
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
  pause: [pauseSuite],
  resume: [resumeSuite],
  getPauses: [getPausesSuite],
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
  retryRaceSuite,
  deduplicationRaceSuite,
  acquisitionRaceSuite,
  ...leaseRaceSuites,
  ...cancellationRaceSuites,
  deadlockSuite,
];
