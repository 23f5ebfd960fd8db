import { cancelSequences } from "./cancel-jobs.ts";
import { acquireJobs, reclaimExpiredLeases, renewLeases, rescheduleJobs } from "./lease-jobs.ts";
import {
  deleteScheduleTicks,
  deleteSchedules,
  listScheduleTicks,
  listSchedules,
  lockSchedules,
  nextScheduleInMs,
  recordTicks,
  takeDueSchedules,
  writeSchedules,
} from "./keep-schedules.ts";
import { listJobs, listSequences, summarize } from "./list-jobs.ts";
import {
  deleteFinishedSequences,
  deleteSequences,
  lockSequences,
  retryFailedJobs,
  triggerJobs,
  updateJobs,
} from "./operate-jobs.ts";
import { deleteLimits, getLimits, setLimits } from "./limit-types.ts";
import { getPauses, pause, resume } from "./pause-types.ts";
import { completeJobs, failJobs } from "./settle-jobs.ts";
import { Database, type SnapshotStateAdapter } from "./snapshot.ts";
import {
  addBlockers,
  createJobs,
  getBlockers,
  getJobs,
  getSequences,
  listBlockerEdges,
} from "./store-jobs.ts";

/** Keeps jobs in one JSON text. It has the methods that the steps of ADAPTERS.md name. */
export const createSnapshotStateAdapter = () => {
  const database = new Database();
  return {
    capabilities: {
      concurrentWriters: false,
      renewsLeasesBesideTransactions: false,
      failedStatementAbortsTransaction: false,
      sharedBetweenProcesses: false,
      contextKeys: ["transaction"],
    },
    provideContext: (callback) => callback({}),
    runInTransaction: (callback) => database.runInTransaction(callback),
    isInTransaction: async (context) => database.isInTransaction(context),
    getStoreId: async () => database.storeId,
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
    pause: pause(database),
    resume: resume(database),
    getPauses: getPauses(database),
    setLimits: setLimits(database),
    deleteLimits: deleteLimits(database),
    getLimits: getLimits(database),
    getJobs: getJobs(database),
    getSequences: getSequences(database),
    getBlockers: getBlockers(database),
    listBlockerEdges: listBlockerEdges(database),
    listJobs: listJobs(database),
    listSequences: listSequences(database),
    summarize: summarize(database),
    nextScheduleInMs: nextScheduleInMs(database),
    takeDueSchedules: takeDueSchedules(database),
    lockSchedules: lockSchedules(database),
    writeSchedules: writeSchedules(database),
    deleteSchedules: deleteSchedules(database),
    listSchedules: listSchedules(database),
    recordTicks: recordTicks(database),
    listScheduleTicks: listScheduleTicks(database),
    deleteScheduleTicks: deleteScheduleTicks(database),
  } satisfies Partial<SnapshotStateAdapter>;
};
