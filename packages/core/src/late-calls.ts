// The calls that few processes make. `facade.ts` imports this file with the first of them: a process that starts and
// processes jobs does not compile it.
export { getBlockerGraph } from "./lifecycle/blocker-graph.ts";
export { cancelSequences } from "./lifecycle/cancel-sequences.ts";
export { checkJobs } from "./lifecycle/check-jobs.ts";
export { completeExternally } from "./lifecycle/complete-externally.ts";
export { deleteSequences } from "./lifecycle/delete-sequences.ts";
export { getLimitKeys, setLimitKeys } from "./lifecycle/limit-keys.ts";
export { declareLimits, deleteLimits, getLimits, setLimits } from "./lifecycle/limits.ts";
export { getPauses, pause, resume } from "./lifecycle/pauses.ts";
export { retryFailedJobs } from "./lifecycle/retry-failed-jobs.ts";
export { expectSignal, sendSignals } from "./lifecycle/signals.ts";
export { triggerJobs } from "./lifecycle/trigger-jobs.ts";
export { updateJobs } from "./lifecycle/update-jobs.ts";
export { backfillSchedule } from "./schedules/backfill.ts";
export { declareSchedules } from "./schedules/declare-schedules.ts";
export { listSchedules, listScheduleTicks } from "./schedules/list-schedules.ts";
export { deleteSchedules, pauseSchedules, resumeSchedules } from "./schedules/pause-schedules.ts";
export { triggerSchedules } from "./schedules/trigger-schedules.ts";
export { upsertSchedules } from "./schedules/upsert-schedules.ts";
