import { endExpiredAttempts, listAttempts, recordAttempts } from "./attempts.ts";
import { acquireJobs } from "./acquire-jobs.ts";
import { endWaits, setDeadlines } from "./deadlines.ts";
import { acquiredUs } from "./acquired-us.ts";
import { addBlockers } from "./add-blockers.ts";
import { beat } from "./beat.ts";
import { beginAction, finishAction, listActions } from "./actions.ts";
import { cancelLockedJobs, viewCancellation } from "./cancel-sequences.ts";
import { completeJob } from "./complete-job.ts";
import { completeJobs, endWithoutWorker } from "./complete-jobs.ts";
import { checkHealth } from "./check-health.ts";
import { countAhead } from "./count-ahead.ts";
import { findKeys } from "./find-keys.ts";
import { listNext } from "./list-next.ts";
import { createJob } from "./create-job.ts";
import { createUsualJob } from "./create-usual-job.ts";
import { createJobs } from "./create-jobs.ts";
import { deleteFinishedSequences } from "./delete-finished-sequences.ts";
import { deleteJobs, deleteSequences, jobsOfTrees } from "./delete-sequences.ts";
import { countJobs, denseBounds, examineJobs, fewOrdinals } from "./examine-jobs.ts";
import { expireLeases } from "./expire-leases.ts";
import { failJobs, failLockedJobs, jobsFailingWith } from "./fail-jobs.ts";
import { continuingJobs, releaseContinuing } from "./release-continuing.ts";
import { getBlockers } from "./get-blockers.ts";
import { getJobs } from "./get-jobs.ts";
import { getPauses } from "./get-pauses.ts";
import { getSequences } from "./get-sequences.ts";
import { listBlockerEdges } from "./list-blocker-edges.ts";
import { listJobs } from "./list-jobs.ts";
import { listSequences } from "./list-sequences.ts";
import { listMetrics, recordMetrics } from "./metrics.ts";
import { listWorkers } from "./list-workers.ts";
import { appendLogs, listLogs, listProgress } from "./logs.ts";
import { deleteLimits } from "./delete-limits.ts";
import { getLimits, limitRooms, setLimits, spendTokens } from "./limits.ts";
import { lockFreeJobs } from "./lock-free-jobs.ts";
import { lockSequences, rowsOfSequences } from "./lock-sequences.ts";
import { lostJobs } from "./lost-jobs.ts";
import { pause, pausedTypes } from "./pause.ts";
import { reclaimExpiredLeases } from "./reclaim-expired-leases.ts";
import { renewLeases } from "./renew-leases.ts";
import { rescheduleJobs } from "./reschedule-jobs.ts";
import { resume } from "./resume.ts";
import { blockersOfFailedJobs, retryFailedJobs } from "./retry-failed-jobs.ts";
import { findIds, findLocks, listDependants } from "./operator-lookups.ts";
import type { Routine } from "./routine.ts";
import { strayJobs } from "./stray-jobs.ts";
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
import { queueRipeAt, unripeTypes } from "./unripe-types.ts";
import { acquireUnderKeys, sharedRoom, turnsOfPaused } from "./acquire-under-keys.ts";
import { requeueExpired } from "./requeue-expired.ts";
import { getLimitKeys, setLimitKeys } from "./limit-keys.ts";
import { listLimitKeys } from "./list-limit-keys.ts";
import { leaveTurns, leaveTurnsOf, leaveTurnsUnder } from "./turns.ts";
import { takeReady } from "./take-ready.ts";
import { triggerJobs } from "./trigger-jobs.ts";
import { updateJobs } from "./update-jobs.ts";

/** In the order of the contract; routines that others call come first. */
export const routines: readonly Routine[] = [
  lostJobs,
  acquiredUs,
  endWithoutWorker,
  takeReady,
  lockFreeJobs,
  continuingJobs,
  releaseContinuing,
  jobsFailingWith,
  failLockedJobs,
  blockersOfFailedJobs,
  rowsOfSequences,
  jobsOfTrees,
  leaveTurns,
  leaveTurnsOf,
  leaveTurnsUnder,
  pausedTypes,
  limitRooms,
  spendTokens,
  deleteJobs,
  recordAttempts,
  endExpiredAttempts,
  createJobs,
  createJob,
  createUsualJob,
  addBlockers,
  setDeadlines,
  endWaits,
  queueRipeAt,
  unripeTypes,
  sharedRoom,
  turnsOfPaused,
  acquireUnderKeys,
  requeueExpired,
  acquireJobs,
  renewLeases,
  completeJobs,
  completeJob,
  rescheduleJobs,
  failJobs,
  viewCancellation,
  cancelLockedJobs,
  reclaimExpiredLeases,
  retryFailedJobs,
  triggerJobs,
  updateJobs,
  lockSequences,
  deleteSequences,
  deleteFinishedSequences,
  nextScheduleInMs,
  takeDueSchedules,
  lockSchedules,
  writeSchedules,
  deleteSchedules,
  listSchedules,
  recordTicks,
  listScheduleTicks,
  deleteScheduleTicks,
  pause,
  resume,
  getPauses,
  setLimits,
  deleteLimits,
  getLimits,
  setLimitKeys,
  getLimitKeys,
  getJobs,
  getSequences,
  getBlockers,
  listBlockerEdges,
  listJobs,
  listSequences,
  summarize,
  fewOrdinals,
  denseBounds,
  examineJobs,
  countJobs,
  findIds,
  listDependants,
  findLocks,
  checkHealth,
  countAhead,
  listNext,
  findKeys,
  listAttempts,
  appendLogs,
  listLogs,
  listProgress,
  beat,
  listWorkers,
  recordMetrics,
  listMetrics,
  listLimitKeys,
  expireLeases,
  beginAction,
  finishAction,
  listActions,
  strayJobs,
];
