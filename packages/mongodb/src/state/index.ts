// The contract's methods, in its order: one file each.
import type { LimitKeyStore, StateAdapter } from "queuert/internal";
import type { Database, Repeat } from "../database.ts";
import { acquireJobs } from "./acquire-jobs.ts";
import { addBlockers } from "./add-blockers.ts";
import { cancelSequences } from "./cancel-sequences.ts";
import { completeJobs } from "./complete-jobs.ts";
import { createJobs } from "./create-jobs.ts";
import { deleteFinishedSequences } from "./delete-finished-sequences.ts";
import { deleteSequences } from "./delete-sequences.ts";
import { failJobs } from "./fail-jobs.ts";
import { getBlockers } from "./get-blockers.ts";
import { getJobs } from "./get-jobs.ts";
import { getLimitKeys } from "./get-limit-keys.ts";
import { getLimits } from "./get-limits.ts";
import { getPauses } from "./get-pauses.ts";
import { getStoreId } from "./get-store-id.ts";
import { getSequences } from "./get-sequences.ts";
import { listBlockerEdges } from "./list-blocker-edges.ts";
import { listJobs } from "./list-jobs.ts";
import { listSequences } from "./list-sequences.ts";
import { lockSequences } from "./lock-sequences.ts";
import { pause } from "./pause.ts";
import { reclaimExpiredLeases } from "./reclaim-expired-leases.ts";
import { renewLeases } from "./renew-leases.ts";
import { rescheduleJobs } from "./reschedule-jobs.ts";
import { resume } from "./resume.ts";
import { retryFailedJobs } from "./retry-failed-jobs.ts";
import { setLimitKeys } from "./set-limit-keys.ts";
import { deleteLimits } from "./delete-limits.ts";
import { setLimits } from "./set-limits.ts";
import { summarize } from "./summarize.ts";
import { deleteScheduleTicks } from "./delete-schedule-ticks.ts";
import { deleteSchedules } from "./delete-schedules.ts";
import { listScheduleTicks } from "./list-schedule-ticks.ts";
import { listSchedules } from "./list-schedules.ts";
import { lockSchedules } from "./lock-schedules.ts";
import { nextScheduleInMs } from "./next-schedule-in-ms.ts";
import { recordTicks } from "./record-ticks.ts";
import { takeDueSchedules } from "./take-due-schedules.ts";
import { writeSchedules } from "./write-schedules.ts";
import { triggerJobs } from "./trigger-jobs.ts";
import { updateJobs } from "./update-jobs.ts";

type MongoState = Omit<
  StateAdapter<object, object, string>,
  "capabilities" | "provideContext" | "runInTransaction" | "isInTransaction"
>;

/** The methods about keys of limits. */
export const createMongoLimitKeys = (db: Database): LimitKeyStore => ({
  setLimitKeys: setLimitKeys(db),
  getLimitKeys: getLimitKeys(db),
});

/** Every other method that runs statements. */
export const createMongoState = (db: Database, repeat: Repeat): MongoState => ({
  getStoreId: getStoreId(db),
  createJobs: createJobs(db, repeat),
  addBlockers: addBlockers(db),
  acquireJobs: acquireJobs(db, repeat),
  renewLeases: renewLeases(db),
  completeJobs: completeJobs(db, repeat),
  rescheduleJobs: rescheduleJobs(db, repeat),
  failJobs: failJobs(db, repeat),
  cancelSequences: cancelSequences(db),
  reclaimExpiredLeases: reclaimExpiredLeases(db, repeat),
  retryFailedJobs: retryFailedJobs(db),
  updateJobs: updateJobs(db),
  triggerJobs: triggerJobs(db),
  lockSequences: lockSequences(db),
  deleteSequences: deleteSequences(db),
  deleteFinishedSequences: deleteFinishedSequences(db),
  nextScheduleInMs: nextScheduleInMs(db),
  takeDueSchedules: takeDueSchedules(db),
  lockSchedules: lockSchedules(db),
  writeSchedules: writeSchedules(db),
  deleteSchedules: deleteSchedules(db),
  listSchedules: listSchedules(db),
  recordTicks: recordTicks(db),
  listScheduleTicks: listScheduleTicks(db),
  deleteScheduleTicks: deleteScheduleTicks(db),
  pause: pause(db),
  resume: resume(db),
  getPauses: getPauses(db),
  setLimits: setLimits(db),
  deleteLimits: deleteLimits(db),
  getLimits: getLimits(db),
  getJobs: getJobs(db),
  getSequences: getSequences(db),
  getBlockers: getBlockers(db),
  listBlockerEdges: listBlockerEdges(db),
  listJobs: listJobs(db),
  listSequences: listSequences(db),
  summarize: summarize(db),
});
