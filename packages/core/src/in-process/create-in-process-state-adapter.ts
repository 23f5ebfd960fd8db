import { createJobIdGenerator } from "../adapter-kit/job-ids.ts";
import type { Clock } from "../async/clock.ts";
import { Database, type InProcessStateAdapter } from "./database.ts";
import { operatorMethods } from "./operator/index.ts";
import { limitKeyStore } from "./limit-keys.ts";
import { acquireJobs } from "./state/acquire-jobs.ts";
import { addBlockers } from "./state/add-blockers.ts";
import { cancelSequences } from "./state/cancel-sequences.ts";
import { completeJobs } from "./state/complete-jobs.ts";
import { createJobs } from "./state/create-jobs.ts";
import { deleteFinishedSequences } from "./state/delete-finished-sequences.ts";
import { deleteSequences } from "./state/delete-sequences.ts";
import { failJobs } from "./state/fail-jobs.ts";
import { getBlockers } from "./state/get-blockers.ts";
import { getJobs } from "./state/get-jobs.ts";
import { getStoreId } from "./state/get-store-id.ts";
import { getSequences } from "./state/get-sequences.ts";
import { listBlockerEdges } from "./state/list-blocker-edges.ts";
import { listJobs } from "./state/list-jobs.ts";
import { listSequences } from "./state/list-sequences.ts";
import { getLimits } from "./state/get-limits.ts";
import { getPauses } from "./state/get-pauses.ts";
import { lockSequences } from "./state/lock-sequences.ts";
import { pause } from "./state/pause.ts";
import { reclaimExpiredLeases } from "./state/reclaim-expired-leases.ts";
import { renewLeases } from "./state/renew-leases.ts";
import { rescheduleJobs } from "./state/reschedule-jobs.ts";
import { deleteLimits } from "./state/delete-limits.ts";
import { setLimits } from "./state/set-limits.ts";
import { resume } from "./state/resume.ts";
import { retryFailedJobs } from "./state/retry-failed-jobs.ts";
import { summarize } from "./state/summarize.ts";
import { deleteScheduleTicks } from "./state/delete-schedule-ticks.ts";
import { deleteSchedules } from "./state/delete-schedules.ts";
import { listScheduleTicks } from "./state/list-schedule-ticks.ts";
import { listSchedules } from "./state/list-schedules.ts";
import { lockSchedules } from "./state/lock-schedules.ts";
import { nextScheduleInMs } from "./state/next-schedule-in-ms.ts";
import { recordTicks } from "./state/record-ticks.ts";
import { takeDueSchedules } from "./state/take-due-schedules.ts";
import { writeSchedules } from "./state/write-schedules.ts";
import { triggerJobs } from "./state/trigger-jobs.ts";
import { updateJobs } from "./state/update-jobs.ts";

const wallClock: Pick<Clock, "now"> = { now: () => Date.now() };

export interface InProcessStateAdapterOptions {
  /** The clock of due times and leases. Default: the clock of the process. */
  readonly clock?: Pick<Clock, "now"> | undefined;
  /** Must return a new string every time. Default: UUID version 7. */
  readonly idGenerator?: (() => string) | undefined;
}

/**
 * Keeps jobs in the memory of this process, with real transactions. Use it for tests, for quick starts, and for jobs that
 * may be lost with the process. One transaction is open at a time. Other transactions wait for it, reads do not.
 *
 * @example
 * ```ts
 * const queuert = await createQueuert({
 *   stateAdapter: createInProcessStateAdapter(),
 *   jobTypeDefinitions: jobTypes,
 * });
 * ```
 */
export const createInProcessStateAdapter = (
  options: InProcessStateAdapterOptions = {},
): InProcessStateAdapter => {
  const clock = options.clock ?? wallClock;
  const generateId = options.idGenerator ?? createJobIdGenerator(() => clock.now());
  return assembleStateAdapter(new Database(clock, generateId));
};

/** The contract's methods over one database. */
export const assembleStateAdapter = (database: Database): InProcessStateAdapter => ({
  capabilities: {
    concurrentWriters: false,
    renewsLeasesBesideTransactions: false,
    failedStatementAbortsTransaction: false,
    sharedBetweenProcesses: false,
    contextKeys: ["transaction"],
  },
  provideContext: async (callback) => callback({}),
  runInTransaction: (callback) => database.runInTransaction(callback),
  isInTransaction: async (context) => database.isInTransaction(context),
  getStoreId: getStoreId(database),
  createJobs: createJobs(database),
  addBlockers: addBlockers(database),
  acquireJobs: acquireJobs(database),
  renewLeases: renewLeases(database),
  completeJobs: completeJobs(database),
  rescheduleJobs: rescheduleJobs(database),
  failJobs: failJobs(database),
  cancelSequences: cancelSequences(database),
  reclaimExpiredLeases: reclaimExpiredLeases(database),
  retryFailedJobs: retryFailedJobs(database),
  updateJobs: updateJobs(database),
  triggerJobs: triggerJobs(database),
  lockSequences: lockSequences(database),
  deleteSequences: deleteSequences(database),
  deleteFinishedSequences: deleteFinishedSequences(database),
  nextScheduleInMs: nextScheduleInMs(database),
  takeDueSchedules: takeDueSchedules(database),
  lockSchedules: lockSchedules(database),
  writeSchedules: writeSchedules(database),
  deleteSchedules: deleteSchedules(database),
  listSchedules: listSchedules(database),
  recordTicks: recordTicks(database),
  listScheduleTicks: listScheduleTicks(database),
  deleteScheduleTicks: deleteScheduleTicks(database),
  pause: pause(database),
  resume: resume(database),
  getPauses: getPauses(database),
  setLimits: setLimits(database),
  deleteLimits: deleteLimits(database),
  getLimits: getLimits(database),
  limitKeys: limitKeyStore(database),
  getJobs: getJobs(database),
  getSequences: getSequences(database),
  getBlockers: getBlockers(database),
  listBlockerEdges: listBlockerEdges(database),
  listJobs: listJobs(database),
  listSequences: listSequences(database),
  summarize: summarize(database),
  operator: operatorMethods(database),
});
